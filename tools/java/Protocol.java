import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** One JSON request a line on standard input, one JSON answer a line on standard output. */
final class Protocol {
    static final ObjectMapper JSON = new ObjectMapper();

    interface Handler {
        ObjectNode handle(JsonNode request) throws Exception;
    }

    /** Answers requests until the input ends; an exception becomes {"error": text}. */
    static void serve(Handler handler) throws Exception {
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // what the library prints must not mix with the answers
        BufferedReader requests =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ObjectNode answer;
            try {
                answer = handler.handle(JSON.readTree(line));
            } catch (Throwable e) {
                answer = JSON.createObjectNode().put("error", describe(e));
            }
            answers.println(JSON.writeValueAsString(answer));
            answers.flush();
        }
    }

    /** The exception and its causes in one line, outermost first. */
    static String describe(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            text.append(" <- ").append(cause);
        }
        return text.toString();
    }

    private Protocol() {}
}

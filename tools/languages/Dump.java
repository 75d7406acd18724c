import io.kaitai.struct.ByteBufferKaitaiStream;
import io.kaitai.struct.KaitaiStream;
import io.kaitai.struct.KaitaiStruct;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads cases with the generated Java: a line "Type$Nested data arguments.." in, its field tree as
 * one JSON line out.
 */
public class Dump {
    public static void main(String[] unused) throws Exception {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder json = new StringBuilder();
            try {
                write(read(line.split(" ", -1)), json);
            } catch (Exception error) {
                json.replace(0, json.length(), "null");
            }
            out.println(json);
        }
        out.flush();
    }

    static Object read(String[] words) throws Exception {
        byte[] data = Base64.getDecoder().decode(words[1]);
        for (Constructor<?> constructor : Class.forName(words[0]).getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            // The shortest constructor takes the stream and the parameters.
            if (types.length != words.length - 1 || types[0] != KaitaiStream.class) {
                continue;
            }
            Object[] values = new Object[types.length];
            values[0] = new ByteBufferKaitaiStream(data);
            for (int i = 1; i < types.length; i++) {
                long number = Long.parseLong(words[i + 1]);
                if (types[i] == int.class) {
                    values[i] = (int) number;
                } else if (types[i] == long.class) {
                    values[i] = number;
                } else {
                    values[i] = number != 0;
                }
            }
            return constructor.newInstance(values);
        }
        throw new IllegalArgumentException("no constructor: " + words[0]);
    }

    static void write(Object value, StringBuilder json) throws Exception {
        if (value instanceof KaitaiStruct) {
            json.append('{');
            for (Field field : value.getClass().getDeclaredFields()) {
                if (!field.getName().startsWith("_") && !Modifier.isStatic(field.getModifiers())) {
                    writeMember(value, field.getName(), json);
                }
            }
            json.append('}');
        } else if (value instanceof List) {
            String separator = "[";
            for (Object element : (List<?>) value) {
                json.append(separator);
                write(element, json);
                separator = ",";
            }
            json.append(separator.equals("[") ? "[]" : "]");
        } else if (value instanceof byte[]) {
            json.append('"').append(HexFormat.of().formatHex((byte[]) value)).append('"');
        } else if (value instanceof Enum) {
            json.append(value.getClass().getMethod("id").invoke(value));
        } else if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            boolean plain = Double.isFinite(number) && !Double.valueOf(number).equals(-0.0);
            json.append(plain ? number : "\"" + number + "\"");
        } else {
            json.append(value);
        }
    }

    static void writeMember(Object parsed, String name, StringBuilder json) {
        int start = json.length();
        json.append(json.charAt(start - 1) == '{' ? "\"" : ",\"").append(name).append("\":");
        int end = json.length();
        try {
            Object value = parsed.getClass().getMethod(name).invoke(parsed);
            if (value == null) {
                json.setLength(start);
            } else {
                write(value, json);
            }
        } catch (Exception error) {
            json.setLength(end);
            json.append("\"!\"");
        }
    }
}

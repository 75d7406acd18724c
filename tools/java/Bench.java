import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fileindex.FileIndexOptions;
import org.apache.paimon.fileindex.FileIndexPredicate;
import org.apache.paimon.fileindex.bitmap.BitmapIndexResult;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.io.DataFileIndexWriter;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.FieldTransform;
import org.apache.paimon.predicate.In;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Times the Paimon library for tools/bench.py. One column c, made by the same rule as there.
 *
 * <p>Requests: {"op": "column", "data", "rows"} makes the column (not timed); {"op": "build",
 * "options", "path"} builds its index once, writing it to path if given; {"op": "lookup", "path",
 * "kind": "in" | "between" | "gt", "literals": [[..], ..], "seconds"} looks the lists of literals up in turn, opening the file
 * each time, until the time is over, and tells how many rows each found. Times are nanoseconds; a
 * build's are CPU time of its thread, without compilers and garbage collectors.
 */
public final class Bench {
    private static DataType type;
    private static InternalRow[] rows;

    public static void main(String[] args) throws Exception {
        Protocol.serve(
                request -> {
                    switch (request.get("op").asText()) {
                        case "column":
                            return column(request);
                        case "build":
                            return build(request);
                        case "lookup":
                            return lookup(request);
                        default:
                            throw new IllegalArgumentException("unknown op " + request);
                    }
                });
    }

    /** Rows as they come to the library: each with objects of its own. */
    private static ObjectNode column(JsonNode request) {
        rows = new InternalRow[request.get("rows").asInt()];
        switch (request.get("data").asText()) {
            case "strings":
                type = Values.type("STRING");
                Arrays.setAll(rows, i -> GenericRow.of(string("status-" + (mix(i) >>> 1) % 8)));
                break;
            case "ints":
                type = Values.type("INT");
                Arrays.setAll(rows, i -> GenericRow.of((int) ((mix(i) >>> 1) % 10_000)));
                break;
            case "ids":
                type = Values.type("STRING");
                Arrays.setAll(rows, i -> GenericRow.of(string("id-" + (mix(i) >>> 1))));
                break;
            case "short":
                type = Values.type("STRING");
                Arrays.setAll(
                        rows, i -> GenericRow.of(string("id-" + (mix(i) >>> 1) % 10_000_000)));
                break;
            case "ints8":
                type = Values.type("INT");
                Arrays.setAll(rows, i -> GenericRow.of((int) ((mix(i) >>> 1) % 8)));
                break;
            case "ints24":
                type = Values.type("INT");
                Arrays.setAll(rows, i -> GenericRow.of((int) (mix(i) >>> 40)));
                break;
            case "bigints":
                type = Values.type("BIGINT");
                Arrays.setAll(rows, i -> GenericRow.of(mix(i)));
                break;
            default:
                throw new IllegalArgumentException("unknown data " + request);
        }
        return Protocol.JSON.createObjectNode();
    }

    private static BinaryString string(String text) {
        return BinaryString.fromString(text);
    }

    /** SplitMix64: a different, random-looking number for each row. */
    private static long mix(long row) {
        long z = (row + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static ObjectNode build(JsonNode request) throws Exception {
        Options options = new Options();
        request.get("options")
                .fields()
                .forEachRemaining(e -> options.set(e.getKey(), e.getValue().asText()));
        options.set("file-index.in-manifest-threshold", "1 gb"); // bytes in memory, not a file
        RowType rowType = RowType.builder().field("c", type).build();
        FileIndexOptions indexOptions = new FileIndexOptions(new CoreOptions(options));
        LocalFileIO fileIO = LocalFileIO.create();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        DataFileIndexWriter writer =
                DataFileIndexWriter.create(fileIO, new Path("unused"), rowType, indexOptions);
        for (InternalRow row : rows) {
            writer.write(row);
        }
        writer.close();
        byte[] bytes = writer.result().embeddedIndexBytes();
        long nanos = threads.getCurrentThreadCpuTime() - start;
        if (request.hasNonNull("path")) {
            Files.write(Paths.get(request.get("path").asText()), bytes);
        }
        return Protocol.JSON.createObjectNode().put("cpu_nanos", nanos).put("bytes", bytes.length);
    }

    private static ObjectNode lookup(JsonNode request) throws Exception {
        RowType rowType = RowType.builder().field("c", type).build();
        Path path = new Path(request.get("path").asText());
        LocalFileIO fileIO = LocalFileIO.create();
        FieldTransform field = new FieldTransform(new FieldRef(0, "c", type));
        PredicateBuilder builder = new PredicateBuilder(rowType);
        List<Predicate> predicates = new ArrayList<>();
        for (JsonNode values : request.get("literals")) {
            List<Object> literals = new ArrayList<>();
            values.forEach(value -> literals.add(Values.value(type, value)));
            // One leaf also for many literals: the predicate builder makes nested ORs of them,
            // which the library takes 100 ms and more to walk.
            predicates.add(
                    switch (request.get("kind").asText()) {
                        case "in" -> LeafPredicate.of(field, In.INSTANCE, literals);
                        case "between" -> builder.between(0, literals.get(0), literals.get(1));
                        case "gt" -> builder.greaterThan(0, literals.get(0));
                        default -> throw new IllegalArgumentException("unknown kind " + request);
                    });
        }
        long budget = (long) (request.get("seconds").asDouble() * 1e9);
        List<Long> times = new ArrayList<>();
        long[] found = new long[predicates.size()];
        Arrays.fill(found, -1); // not looked up
        long begin = System.nanoTime();
        for (int i = 0; times.size() < 3 || System.nanoTime() - begin < budget; i++) {
            long start = System.nanoTime();
            try (FileIndexPredicate file = new FileIndexPredicate(path, fileIO, rowType)) {
                BitmapIndexResult result =
                        (BitmapIndexResult) file.evaluate(predicates.get(i % predicates.size()));
                found[i % found.length] = result.get().getCardinality();
            }
            times.add(System.nanoTime() - start);
        }
        times.sort(null);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        answer.put("nanos", times.get(times.size() / 2));
        answer.putPOJO("found", found);
        return answer;
    }
}

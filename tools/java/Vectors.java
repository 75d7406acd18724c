import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HexFormat;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.SerializationUtils;

/**
 * Hash codes of keys, and times of deletion vectors.
 *
 * <p>Requests: {"op": "hash", "columns", "rows"} tells the hash codes of rows, and in hex how
 * manifests have them; {"op": "read",
 * "path"} reads a vector from its bytes and keeps it, {"op": "write"} serializes it, {"op":
 * "apply", "rows"} asks it of each row. These three tell the time in nanoseconds.
 */
public final class Vectors {
    private static DeletionVector vector;

    public static void main(String[] args) throws Exception {
        Protocol.serve(
                request -> {
                    switch (request.get("op").asText()) {
                        case "hash":
                            return hash(request);
                        case "read":
                            return read(request);
                        case "write":
                            return write();
                        case "apply":
                            return apply(request.get("rows").asLong());
                        default:
                            throw new IllegalArgumentException("unknown op " + request);
                    }
                });
    }

    private static ObjectNode hash(JsonNode request) {
        RowType type = Values.rowType(request.get("columns"));
        InternalRowSerializer serializer = new InternalRowSerializer(type);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode hashes = answer.putArray("hashes");
        ArrayNode bytes = answer.putArray("bytes");
        for (JsonNode values : request.get("rows")) {
            BinaryRow row = serializer.toBinaryRow(Values.row(type, values));
            hashes.add(row.hashCode());
            byte[] stored = SerializationUtils.serializeBinaryRow(row);
            bytes.add(HexFormat.of().formatHex(stored));
        }
        return answer;
    }

    private static ObjectNode read(JsonNode request) throws Exception {
        byte[] bytes = Files.readAllBytes(Paths.get(request.get("path").asText()));
        long started = System.nanoTime();
        vector = DeletionVector.deserializeFromBytes(bytes);
        return took(System.nanoTime() - started).put("cardinality", vector.getCardinality());
    }

    private static ObjectNode write() {
        long started = System.nanoTime();
        byte[] bytes = DeletionVector.serializeToBytes(vector);
        return took(System.nanoTime() - started).put("bytes", bytes.length);
    }

    /** The loop of ApplyDeletionFileRecordIterator, without the rows. */
    private static ObjectNode apply(long rows) {
        // Calls of one class each, as a reader of a table has them.
        long started = System.nanoTime();
        long live =
                vector instanceof BitmapDeletionVector
                        ? live((BitmapDeletionVector) vector, rows)
                        : live((Bitmap64DeletionVector) vector, rows);
        return took(System.nanoTime() - started).put("live", live);
    }

    private static long live(BitmapDeletionVector vector, long rows) {
        long live = 0;
        for (long row = 0; row < rows; row++) {
            live += vector.isDeleted(row) ? 0 : 1;
        }
        return live;
    }

    private static long live(Bitmap64DeletionVector vector, long rows) {
        long live = 0;
        for (long row = 0; row < rows; row++) {
            live += vector.isDeleted(row) ? 0 : 1;
        }
        return live;
    }

    private static ObjectNode took(long nanos) {
        return Protocol.JSON.createObjectNode().put("nanos", nanos);
    }
}

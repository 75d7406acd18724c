import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Base64;
import java.util.function.LongConsumer;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionFileWriter;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.HashIndexFile;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.index.IndexPathFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.OptimizedRoaringBitmap64;
import org.apache.paimon.utils.RoaringBitmap32;

/**
 * The runner of the conformance kit for the Paimon library: it reads and writes what the cases of
 * conformance/ have. The kit itself is made by it, too. conformance/README.md describes the
 * requests.
 */
public final class Kit {
    private static final String[] OPS = {
        "evaluate", "build_file_index", "read_vector", "write_vectors", "read_roaring",
        "write_roaring", "read_bucket_index", "write_bucket_index", "hash_keys", "query_table",
        "read_global_index", "evaluate_global_index", "build_global_index"
    };

    public static void main(String[] args) throws Exception {
        Protocol.serve(Kit::handle);
    }

    private static ObjectNode handle(JsonNode request) throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        switch (request.get("op").asText()) {
            case "capabilities":
                answer.put("protocol", 1).put("name", "Paimon Java").put("version", version());
                ArrayNode ops = answer.putArray("ops");
                for (String op : OPS) {
                    ops.add(op);
                }
                return answer;
            case "evaluate":
                return evaluate(request);
            case "build_file_index":
                return answer.put("bytes", base64(Conformance.build(request)));
            case "read_vector":
                return readVector(request);
            case "write_vectors":
                return writeVectors(request);
            case "read_roaring":
                return readRoaring(request);
            case "write_roaring":
                return answer.put("bytes", base64(writeRoaring(request)));
            case "read_bucket_index":
                return readBucketIndex(request);
            case "write_bucket_index":
                return writeBucketIndex(request);
            case "hash_keys":
                return hashKeys(request);
            case "query_table":
                if (request.get("predicate").findValuesAsText("col").stream()
                        .anyMatch(column -> column.contains("["))) {
                    return answer.put("unsupported", "predicates on keys of a MAP");
                }
                return Tables.query(request);
            case "read_global_index":
            case "evaluate_global_index":
            case "build_global_index":
                return GlobalIndexes.handle(request);
            default:
                return answer.put("unsupported", "unknown op " + request.get("op"));
        }
    }

    private static String version() {
        String jar =
                Paths.get(
                                DeletionVector.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .getPath())
                        .getFileName()
                        .toString();
        return jar.replaceAll("^paimon-bundle-|\\.jar$", "");
    }

    private static byte[] bytes(JsonNode request) throws Exception {
        return Files.readAllBytes(Paths.get(request.get("file").asText()));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Each integer of a set: a list of integers, [first, last] and [first, last, step]. */
    private static void forEach(JsonNode set, LongConsumer consumer) {
        for (JsonNode item : set) {
            if (item.isArray()) {
                long step = item.size() == 3 ? item.get(2).asLong() : 1;
                for (long i = item.get(0).asLong(); i <= item.get(1).asLong(); i += step) {
                    consumer.accept(i);
                }
            } else {
                consumer.accept(item.asLong());
            }
        }
    }

    private static ObjectNode evaluate(JsonNode request) throws Exception {
        RowType type = Values.rowType(request.get("columns"));
        ObjectNode answer =
                Conformance.evaluate(
                        type,
                        bytes(request),
                        request.get("predicate"),
                        Conformance.topN(type, request));
        switch (answer.remove("result").asText()) {
            case "REMAIN":
                return answer.put("rows", "all");
            case "SKIP":
                answer.putArray("rows");
                return answer;
            default:
                return answer; // with its rows
        }
    }

    // Deletion vectors

    private static ObjectNode readVector(JsonNode request) throws Exception {
        DeletionFile file =
                new DeletionFile(
                        request.get("file").asText(),
                        request.get("offset").asLong(),
                        request.get("length").asLong(),
                        request.get("cardinality").asLong());
        DeletionVector vector = DeletionVector.read(LocalFileIO.create(), file);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode rows = answer.putArray("rows");
        if (vector instanceof BitmapDeletionVector) {
            ((BitmapDeletionVector) vector)
                    .get()
                    .iterator()
                    .forEachRemaining(row -> rows.add(row & 0xFFFF_FFFFL));
        } else {
            // Its bitmap is private, so take it from the bytes: size, magic, bitmap, CRC.
            byte[] bytes = DeletionVector.serializeToBytes(vector);
            ByteBuffer bitmap = ByteBuffer.wrap(bytes, 8, bytes.length - 12).slice();
            bitmap.order(ByteOrder.LITTLE_ENDIAN);
            OptimizedRoaringBitmap64.deserialize(bitmap).forEach(rows::add);
        }
        return answer;
    }

    private static ObjectNode writeVectors(JsonNode request) throws Exception {
        Path path = new Path(Files.createTempFile("kit", ".dv").toUri());
        LocalFileIO files = LocalFileIO.create();
        files.delete(path, false);
        DeletionFileWriter writer = new DeletionFileWriter(at(path), files);
        try (DeletionFileWriter closed = writer) {
            for (JsonNode json : request.get("vectors")) {
                DeletionVector vector =
                        json.get("bits").asInt() == 64
                                ? new Bitmap64DeletionVector()
                                : new BitmapDeletionVector();
                forEach(json.get("rows"), vector::delete);
                writer.write(json.get("name").asText(), vector);
            }
        }
        ObjectNode answer = written(path);
        ArrayNode vectors = answer.putArray("vectors");
        for (DeletionVectorMeta meta : writer.result().dvRanges().values()) {
            vectors.addObject()
                    .put("name", meta.dataFileName())
                    .put("offset", meta.offset())
                    .put("length", meta.length())
                    .put("cardinality", meta.cardinality());
        }
        return answer;
    }

    private static ObjectNode written(Path path) throws Exception {
        java.nio.file.Path file = Paths.get(path.toUri().getPath());
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        return Protocol.JSON.createObjectNode().put("bytes", base64(bytes));
    }

    /** One file, whatever is to be written or read. */
    private static IndexPathFactory at(Path path) {
        return new IndexPathFactory() {
            @Override
            public Path toPath(String name) {
                return path;
            }

            @Override
            public Path newPath() {
                return path;
            }

            @Override
            public boolean isExternalPath() {
                return false;
            }
        };
    }

    // Roaring bitmaps

    private static ObjectNode readRoaring(JsonNode request) throws Exception {
        byte[] bytes = bytes(request);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode values = answer.putArray("values");
        if (request.get("bits").asInt() == 64) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            buffer.order(ByteOrder.LITTLE_ENDIAN);
            OptimizedRoaringBitmap64.deserialize(buffer).forEach(values::add);
        } else {
            RoaringBitmap32 bitmap = new RoaringBitmap32();
            bitmap.deserialize(new DataInputStream(new ByteArrayInputStream(bytes)));
            bitmap.iterator().forEachRemaining(value -> values.add(value & 0xFFFF_FFFFL));
        }
        return answer;
    }

    private static byte[] writeRoaring(JsonNode request) throws Exception {
        if (request.get("bits").asInt() == 64) {
            OptimizedRoaringBitmap64 bitmap = new OptimizedRoaringBitmap64();
            forEach(request.get("values"), bitmap::add);
            bitmap.runLengthEncode();
            ByteBuffer buffer = ByteBuffer.allocate((int) bitmap.serializedSizeInBytes());
            buffer.order(ByteOrder.LITTLE_ENDIAN);
            bitmap.serialize(buffer);
            return buffer.array();
        }
        RoaringBitmap32 bitmap = new RoaringBitmap32();
        forEach(request.get("values"), value -> bitmap.add((int) value));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bitmap.serialize(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    // Bucket indexes

    private static ObjectNode readBucketIndex(JsonNode request) throws Exception {
        Path path = new Path(request.get("file").asText());
        HashIndexFile file = new HashIndexFile(LocalFileIO.create(), at(path));
        IndexFileMeta meta =
                new IndexFileMeta("HASH", "unused", bytes(request).length, 0, null, null, null);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode hashes = answer.putArray("hashes");
        file.readList(meta).forEach(hashes::add);
        return answer;
    }

    private static ObjectNode writeBucketIndex(JsonNode request) throws Exception {
        Path path = new Path(Files.createTempFile("kit", ".hash").toUri());
        LocalFileIO files = LocalFileIO.create();
        files.delete(path, false);
        int[] hashes = new int[request.get("hashes").size()];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = request.get("hashes").get(i).asInt();
        }
        new HashIndexFile(files, at(path)).write(hashes);
        return written(path);
    }

    private static ObjectNode hashKeys(JsonNode request) {
        RowType type = Values.rowType(request.get("columns"));
        InternalRowSerializer serializer = new InternalRowSerializer(type);
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode hashes = answer.putArray("hashes");
        for (JsonNode values : request.get("rows")) {
            hashes.add(serializer.toBinaryRow(Values.row(type, values)).hashCode());
        }
        return answer;
    }

    private Kit() {}
}

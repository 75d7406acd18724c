import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.globalindex.GlobalIndexEvaluator;
import org.apache.paimon.globalindex.GlobalIndexIOMeta;
import org.apache.paimon.globalindex.GlobalIndexParallelWriter;
import org.apache.paimon.globalindex.GlobalIndexReader;
import org.apache.paimon.globalindex.GlobalIndexResult;
import org.apache.paimon.globalindex.GlobalIndexSingletonWriter;
import org.apache.paimon.globalindex.GlobalIndexWriter;
import org.apache.paimon.globalindex.GlobalIndexer;
import org.apache.paimon.globalindex.ResultEntry;
import org.apache.paimon.globalindex.btree.BTreeIndexReader;
import org.apache.paimon.globalindex.btree.KeySerializer;
import org.apache.paimon.globalindex.io.GlobalIndexFileWriter;
import org.apache.paimon.io.cache.CacheManager;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.options.Options;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Builds and reads single files of global indexes with the Paimon library, for Kit: BTree indexes,
 * and bitmap indexes without metadata, which only Paimon 1.4 has.
 */
final class GlobalIndexes {
    /** Answers a request; of indexes that the library does not have, with `unsupported`. */
    static ObjectNode handle(JsonNode request) throws Exception {
        try {
            return answered(request);
        } catch (Throwable e) {
            if (Protocol.describe(e).contains("NoClassDefFoundError: net/jpountz/lz4")) {
                return Protocol.JSON
                        .createObjectNode()
                        .put("unsupported", "blocks in LZ4: the bundle lacks its library");
            }
            throw e;
        }
    }

    private static ObjectNode answered(JsonNode request) throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        boolean isBTree = request.get("index_type").asText().equals("btree");
        if (request.get("columns").size() > 1 || !isBTree && !isOldBitmap(request)) {
            return answer.put("unsupported", "global indexes but BTree indexes of one column");
        }
        RowType type = Values.rowType(request.get("columns"));
        switch (request.get("op").asText()) {
            case "build_global_index":
                for (String option : List.of("file-version", "bloom-filter.enabled")) {
                    if (request.get("options").has("btree-index." + option)) {
                        return answer.put("unsupported", "the option " + option);
                    }
                }
                return build(type, request);
            case "read_global_index":
                if (!isBTree) {
                    return answer.put("unsupported", "the keys of a bitmap index");
                }
                try (BTreeIndexReader reader = opened(type, request)) {
                    return keys(type.getTypeAt(0), reader);
                }
            default:
                return evaluate(type, request);
        }
    }

    private static boolean isOldBitmap(JsonNode request) {
        return request.get("index_type").asText().equals("bitmap")
                && request.path("metadata").isNull();
    }

    private static GlobalIndexer indexer(RowType type, JsonNode request, Options options) {
        String indexType = request.get("index_type").asText();
        return GlobalIndexer.create(indexType, type.getFields().get(0), options);
    }

    private static ObjectNode build(RowType type, JsonNode request) throws Exception {
        Path path = new Path(Files.createTempFile("kit", ".index").toUri());
        GlobalIndexFileWriter files =
                new GlobalIndexFileWriter() {
                    @Override
                    public String newFileName(String prefix) {
                        return path.getName();
                    }

                    @Override
                    public PositionOutputStream newOutputStream(String name)
                            throws IOException {
                        return LocalFileIO.create().newOutputStream(path, true);
                    }
                };
        Options options = new Options();
        request.get("options").fields().forEachRemaining(
                e -> options.set(e.getKey(), e.getValue().asText()));
        List<Object> values = new ArrayList<>();
        for (JsonNode row : request.get("rows")) {
            values.add(Values.value(type.getTypeAt(0), row.get(0)));
        }
        GlobalIndexWriter writer = indexer(type, request, options).createWriter(files);
        if (writer instanceof GlobalIndexSingletonWriter) {
            values.forEach(((GlobalIndexSingletonWriter) writer)::write);
        } else {
            writeSorted((GlobalIndexParallelWriter) writer, values, type.getTypeAt(0));
        }
        ResultEntry entry = writer.finish().get(0);
        byte[] bytes = Files.readAllBytes(Paths.get(path.toUri().getPath()));
        LocalFileIO.create().delete(path, false);
        byte[] metadata = entry.meta();
        return Protocol.JSON
                .createObjectNode()
                .put("bytes", Base64.getEncoder().encodeToString(bytes))
                .put("metadata", metadata == null ? null : HexFormat.of().formatHex(metadata));
    }

    private static void writeSorted(
            GlobalIndexParallelWriter writer, List<Object> values, DataType type) {
        List<Integer> rows = new ArrayList<>();
        for (int row = 0; row < values.size(); row++) {
            rows.add(row);
        }
        Comparator<Object> order = KeySerializer.create(type).createComparator();
        rows.sort(Comparator.comparing(values::get, Comparator.nullsFirst(order)));
        for (int row : rows) {
            writer.write(values.get(row), row);
        }
    }

    private static BTreeIndexReader opened(RowType type, JsonNode request) throws Exception {
        return new BTreeIndexReader(
                KeySerializer.create(type.getTypeAt(0)),
                meta -> LocalFileIO.create().newInputStream(meta.filePath()),
                file(request),
                new CacheManager(MemorySize.ofMebiBytes(1)));
    }

    private static GlobalIndexIOMeta file(JsonNode request) throws IOException {
        java.nio.file.Path file = Paths.get(request.get("file").asText());
        JsonNode stated = request.get("metadata");
        byte[] metadata = stated.isNull() ? null : HexFormat.of().parseHex(stated.asText());
        return new GlobalIndexIOMeta(new Path(file.toUri()), Files.size(file), metadata);
    }

    private static ObjectNode keys(DataType type, BTreeIndexReader reader) throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode keys = answer.putArray("keys");
        ArrayNode nulls = Protocol.JSON.createArrayNode();
        reader.scanNullRowIds(nulls::add);
        if (!nulls.isEmpty()) {
            ArrayNode pair = keys.addArray();
            pair.addArray().addNull();
            pair.add(nulls);
        }
        BTreeIndexReader.EntryIterator entries = reader.entryIterator();
        while (entries.hasNext()) {
            BTreeIndexReader.KeyRowIds entry = entries.next();
            ArrayNode pair = keys.addArray();
            pair.addArray().addPOJO(Tables.json(type, entry.key()));
            ArrayNode rows = pair.addArray();
            for (long row : entry.rowIds()) {
                rows.add(row);
            }
        }
        return answer;
    }

    private static ObjectNode evaluate(RowType type, JsonNode request) throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        try (GlobalIndexEvaluator evaluator =
                new GlobalIndexEvaluator(type, field -> List.of(unchecked(type, request)))) {
            Optional<GlobalIndexResult> result =
                    evaluator.evaluate(
                            Conformance.predicate(type, request.get("predicate")));
            if (result.isEmpty()) {
                return answer.put("rows", "all");
            }
            ArrayNode rows = answer.putArray("rows");
            result.get().results().iterator().forEachRemaining(rows::add);
            return answer;
        }
    }

    private static GlobalIndexReader unchecked(RowType type, JsonNode request) {
        try {
            if (isOldBitmap(request)) {
                return indexer(type, request, new Options())
                        .createReader(
                                meta -> LocalFileIO.create().newInputStream(meta.filePath()),
                                List.of(file(request)));
            }
            return opened(type, request);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private GlobalIndexes() {}
}

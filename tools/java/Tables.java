import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fileindex.FileIndexResult;
import org.apache.paimon.fileindex.bitmap.BitmapIndexResult;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.globalindex.GlobalIndexBuilderUtils;
import org.apache.paimon.globalindex.GlobalIndexSingletonWriter;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.index.SimpleHashBucketAssigner;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.io.FileIndexEvaluator;
import org.apache.paimon.manifest.BucketEntry;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaEvolutionUtil;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.RowKeyExtractor;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.Range;

/**
 * Reads whole tables with the Paimon library, for tools/conformance/tables.py.
 *
 * <p>Requests: {"op": "open", "path"} opens a table at its latest snapshot; {"op": "read",
 * "predicate"} answers the rows that it selects, and of each data file that was planned whether
 * its index keeps it, and how many of its rows; {"op": "read", "predicate": null} reads all rows,
 * and with "index": false the rows are read without asking file indexes; {"op": "plan",
 * "predicate", "rounds"} tells how long planning takes;
 * {"op": "delete", "files": {name: positions}} deletes rows of data files; {"op": "create",
 * "path", "columns", "partitions", "keys", "options"} makes a table and opens it; {"op": "alter",
 * "changes"} changes its schema; {"op": "write", "rows", "kinds", "compact"} writes rows to it,
 * each of its kind ("-D" deletes, without "kinds" all are inserted), and with "compact" compacts
 * all of it; {"op": "index", "column", "type", "options"} builds a global index of all rows;
 * {"op": "query", "path", "predicate"} answers the rows alone; {"op": "options"} answers the types
 * of all options of the library; {"op": "try", "path", "tries"} tells what fails if options of a
 * table are set.
 */
public final class Tables {
    private static FileStoreTable table;

    public static void main(String[] args) throws Exception {
        Protocol.serve(
                request -> {
                    switch (request.get("op").asText()) {
                        case "open":
                            table = opened(request.get("path").asText());
                            return Protocol.JSON.createObjectNode();
                        case "read":
                            return read(
                                    request.get("predicate"),
                                    request.path("index").asBoolean(true));
                        case "plan":
                            return plan(request);
                        case "delete":
                            return delete(request.get("files"));
                        case "create":
                            return create(request);
                        case "alter":
                            return alter(request);
                        case "write":
                            return write(request);
                        case "query":
                            return query(request);
                        case "index":
                            return index(request);
                        case "options":
                            return TableOptions.types();
                        case "try":
                            return TableOptions.tried(request);
                        default:
                            throw new IllegalArgumentException("unknown op " + request);
                    }
                });
    }

    private static FileStoreTable opened(String path) {
        return FileStoreTableFactory.create(LocalFileIO.create(), new Path(path));
    }

    /** The rows of a table that a request of the conformance kit asks for. */
    static ObjectNode query(JsonNode request) throws Exception {
        table = opened(request.get("path").asText());
        RowType type = table.rowType();
        ReadBuilder builder = table.newReadBuilder();
        if (!request.get("predicate").isNull()) {
            builder.withFilter(predicate(type, request.get("predicate")));
        }
        if (request.has("order")) {
            builder.withTopN(Conformance.topN(type, request));
        } else if (request.has("limit")) {
            builder.withLimit(request.get("limit").asInt());
        }
        ObjectNode answer = Protocol.JSON.createObjectNode();
        rows(builder, type, builder.newScan().plan().splits(), answer.putArray("rows"));
        return answer;
    }

    private static void rows(ReadBuilder builder, RowType type, List<Split> splits, ArrayNode rows)
            throws Exception {
        try (RecordReader<InternalRow> reader =
                builder.newRead().executeFilter().createReader(splits)) {
            reader.forEachRemaining(row -> rows.add(values(type, row)));
        }
    }

    /** Changes: ["add", name, type], ["drop", name], ["rename", from, to], ["type", name, type],
     * ["set", option, value]. */
    private static ObjectNode alter(JsonNode request) throws Exception {
        List<SchemaChange> changes = new ArrayList<>();
        for (JsonNode json : request.get("changes")) {
            String name = json.get(1).asText();
            String to = json.path(2).asText();
            changes.add(
                    switch (json.get(0).asText()) {
                        case "add" -> SchemaChange.addColumn(name, Values.type(to));
                        case "drop" -> SchemaChange.dropColumn(name);
                        case "rename" -> SchemaChange.renameColumn(name, to);
                        case "type" -> SchemaChange.updateColumnType(name, Values.type(to));
                        case "set" -> SchemaChange.setOption(name, to);
                        default -> throw new IllegalArgumentException("unknown change " + json);
                    });
        }
        new SchemaManager(LocalFileIO.create(), table.location()).commitChanges(changes);
        table = opened(table.location().toString());
        return Protocol.JSON.createObjectNode();
    }

    private static ObjectNode create(JsonNode request) throws Exception {
        Schema.Builder schema = Schema.newBuilder();
        RowType type = Values.rowType(request.get("columns"));
        type.getFields().forEach(field -> schema.column(field.name(), field.type()));
        List<String> keys = new ArrayList<>();
        request.get("keys").forEach(key -> keys.add(key.asText()));
        schema.primaryKey(keys);
        List<String> partitions = new ArrayList<>();
        request.path("partitions").forEach(column -> partitions.add(column.asText()));
        schema.partitionKeys(partitions);
        request.get("options")
                .fields()
                .forEachRemaining(e -> schema.option(e.getKey(), e.getValue().asText()));
        Path path = new Path(request.get("path").asText());
        new SchemaManager(LocalFileIO.create(), path).createTable(schema.build());
        table = FileStoreTableFactory.create(LocalFileIO.create(), path);
        return Protocol.JSON.createObjectNode();
    }

    /** Builds a global index as Spark's procedure does, of rows that have consecutive ids. */
    private static ObjectNode index(JsonNode request) throws Exception {
        DataField field = table.rowType().getField(request.get("column").asText());
        String type = request.get("type").asText();
        Options options = new Options();
        request.get("options").fields().forEachRemaining(e -> options.set(e.getKey(), e.getValue().asText()));
        GlobalIndexSingletonWriter writer =
                (GlobalIndexSingletonWriter)
                        GlobalIndexBuilderUtils.createIndexWriter(table, type, field, options);
        ReadBuilder builder =
                table.newReadBuilder().withReadType(table.rowType().project(field.name()));
        InternalRow.FieldGetter getter = InternalRow.createFieldGetter(field.type(), 0);
        try (RecordReader<InternalRow> reader =
                builder.newRead().createReader(builder.newScan().plan().splits())) {
            reader.forEachRemaining(row -> writer.write(getter.getFieldOrNull(row)));
        }
        List<IndexFileMeta> files =
                GlobalIndexBuilderUtils.toIndexFileMetas(
                        table.fileIO(),
                        table.store().pathFactory().globalIndexFileFactory(),
                        table.coreOptions(),
                        new Range(0, table.latestSnapshot().get().nextRowId() - 1),
                        field.id(),
                        type,
                        writer.finish());
        CommitMessage message =
                new CommitMessageImpl(
                        BinaryRow.EMPTY_ROW,
                        0,
                        null,
                        DataIncrement.indexIncrement(files),
                        CompactIncrement.emptyIncrement());
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(List.of(message));
        }
        table = opened(table.location().toString());
        return Protocol.JSON.createObjectNode();
    }

    private static ObjectNode write(JsonNode request) throws Exception {
        JsonNode rows = request.get("rows");
        JsonNode kinds = request.path("kinds");
        boolean compact = request.get("compact").asBoolean();
        StreamWriteBuilder builder = table.newStreamWriteBuilder();
        try (IOManager folder = IOManager.create(System.getProperty("java.io.tmpdir"));
                StreamTableWrite write = (StreamTableWrite) builder.newWrite().withIOManager(folder);
                StreamTableCommit commit = builder.newCommit()) {
            boolean dynamic = table.bucketMode() == BucketMode.HASH_DYNAMIC;
            int target = (int) table.coreOptions().dynamicBucketTargetRowNum();
            // It knows no keys of earlier commits, so only the first may add keys.
            SimpleHashBucketAssigner buckets = new SimpleHashBucketAssigner(1, 0, target, -1);
            RowKeyExtractor keys = dynamic ? table.createRowKeyExtractor() : null;
            for (int i = 0; i < rows.size(); i++) {
                GenericRow row = Values.row(table.rowType(), rows.get(i));
                row.setRowKind(RowKind.fromShortString(kinds.path(i).asText("+I")));
                if (dynamic) {
                    keys.setRecord(row);
                    int hash = keys.trimmedPrimaryKey().hashCode();
                    write.write(row, buckets.assign(keys.partition(), hash));
                } else {
                    write.write(row);
                }
            }
            commit.commit(0, write.prepareCommit(true, 0));
            if (compact) {
                for (BucketEntry entry : table.newSnapshotReader().bucketEntries()) {
                    write.compact(entry.partition(), entry.bucket(), true);
                }
                commit.commit(1, write.prepareCommit(true, 1));
            }
        }
        return Protocol.JSON.createObjectNode();
    }

    private static ObjectNode read(JsonNode json, boolean index) throws Exception {
        RowType type = table.rowType();
        Map<String, String> options =
                Map.of(CoreOptions.FILE_INDEX_READ_ENABLED.key(), String.valueOf(index));
        ReadBuilder builder = table.copy(options).newReadBuilder();
        Predicate predicate = json.isNull() ? null : predicate(type, json);
        if (predicate != null) {
            builder.withFilter(predicate);
        }
        List<Split> splits = builder.newScan().plan().splits();
        ObjectNode answer = Protocol.JSON.createObjectNode();
        rows(builder, type, splits, answer.putArray("rows"));
        ObjectNode files = answer.putObject("files");
        for (Split split : splits) {
            evaluate((DataSplit) split, predicate, files);
        }
        return answer;
    }

    /** As PaimonSparkWriter.persistDeletionVectors. */
    private static ObjectNode delete(JsonNode files) throws Exception {
        Snapshot snapshot = table.snapshotManager().latestSnapshot();
        IndexFileHandler handler = table.store().newIndexFileHandler();
        boolean unaware = table.bucketMode() == BucketMode.BUCKET_UNAWARE;
        Map<String, BaseAppendDeleteFileMaintainer> maintainers = new HashMap<>();
        for (Split split : table.newReadBuilder().newScan().plan().splits()) {
            DataSplit data = (DataSplit) split;
            BinaryRow partition = data.partition().copy();
            for (DataFileMeta file : data.dataFiles()) {
                if (!files.has(file.fileName())) {
                    continue;
                }
                DeletionVector vector =
                        table.coreOptions().deletionVectorBitmap64()
                                ? new Bitmap64DeletionVector()
                                : new BitmapDeletionVector();
                files.get(file.fileName()).forEach(row -> vector.delete(row.asLong()));
                maintainers
                        .computeIfAbsent(
                                data.bucketPath(),
                                key ->
                                        unaware
                                                ? BaseAppendDeleteFileMaintainer.forUnawareAppend(
                                                        handler, snapshot, partition)
                                                : BaseAppendDeleteFileMaintainer.forBucketedAppend(
                                                        handler,
                                                        snapshot,
                                                        partition,
                                                        data.bucket()))
                        .notifyNewDeletionVector(file.fileName(), vector);
            }
        }
        List<CommitMessage> messages = new ArrayList<>();
        for (BaseAppendDeleteFileMaintainer maintainer : maintainers.values()) {
            List<IndexFileMeta> added = new ArrayList<>();
            List<IndexFileMeta> deleted = new ArrayList<>();
            for (IndexManifestEntry entry : maintainer.persist()) {
                (entry.kind() == FileKind.ADD ? added : deleted).add(entry.indexFile());
            }
            messages.add(
                    new CommitMessageImpl(
                            maintainer.getPartition(),
                            maintainer.getBucket(),
                            null,
                            new DataIncrement(List.of(), List.of(), List.of(), added, deleted),
                            CompactIncrement.emptyIncrement()));
        }
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
        return Protocol.JSON.createObjectNode();
    }

    /** The fastest of some plans, in nanoseconds, and how many data files it has. */
    private static ObjectNode plan(JsonNode request) {
        Predicate predicate = predicate(table.rowType(), request.get("predicate"));
        long best = Long.MAX_VALUE;
        long files = 0;
        for (int round = 0; round < request.get("rounds").asInt(); round++) {
            long start = System.nanoTime();
            List<Split> splits =
                    table.newReadBuilder().withFilter(predicate).newScan().plan().splits();
            best = Math.min(best, System.nanoTime() - start);
            files = splits.stream().mapToLong(split -> ((DataSplit) split).dataFiles().size()).sum();
        }
        return Protocol.JSON.createObjectNode().put("nanos", best).put("files", files);
    }

    /** By name of the data file: rows that its index leaves, -1 if all, 0 if it skips the file. */
    private static void evaluate(DataSplit split, Predicate predicate, ObjectNode files)
            throws Exception {
        DeletionVector.Factory vectors =
                DeletionVector.factory(
                        table.fileIO(),
                        split.dataFiles(),
                        split.deletionFiles().orElse(null));
        for (DataFileMeta file : split.dataFiles()) {
            FileIndexResult result = FileIndexResult.REMAIN;
            // Files that have to be merged with others are read whole, whatever the index says.
            if (predicate != null && split.rawConvertible()) {
                result =
                        FileIndexEvaluator.evaluate(
                                table.fileIO(),
                                table.schemaManager().schema(file.schemaId()),
                                filters(predicate, file),
                                null,
                                null,
                                table.store()
                                        .pathFactory()
                                        .createDataFilePathFactory(
                                                split.partition(), split.bucket()),
                                file,
                                vectors.create(file.fileName()).orElse(null));
            }
            int rows = result.remain() ? -1 : 0;
            if (result.remain() && result instanceof BitmapIndexResult) {
                rows = (int) ((BitmapIndexResult) result).get().getCardinality();
            }
            files.put(file.fileName(), rows);
        }
    }

    /** As in FormatReaderMapping.Builder.readFilters: in terms of the file, without partitions. */
    private static List<Predicate> filters(Predicate predicate, DataFileMeta file) {
        TableSchema schema = table.schemaManager().schema(file.schemaId());
        List<Predicate> filters = PredicateBuilder.splitAnd(predicate);
        if (schema.id() != table.schema().id()) {
            filters =
                    SchemaEvolutionUtil.devolveFilters(
                            table.schema().fields(), schema.fields(), filters, false);
        }
        return PredicateBuilder.excludePredicateWithFields(
                filters, new HashSet<>(schema.partitionKeys()));
    }

    private static Predicate predicate(RowType type, JsonNode json) {
        String op = json.get("op").asText();
        if (op.equals("and") || op.equals("or")) {
            List<Predicate> children = new ArrayList<>();
            json.get("args").forEach(child -> children.add(predicate(type, child)));
            return op.equals("and") ? PredicateBuilder.and(children) : PredicateBuilder.or(children);
        }
        PredicateBuilder builder = new PredicateBuilder(type);
        int column = type.getFieldIndex(json.get("col").asText());
        DataType columnType = type.getTypeAt(column);
        switch (op) {
            case "isnull":
                return builder.isNull(column);
            case "isnotnull":
                return builder.isNotNull(column);
            case "in":
                return builder.in(column, literals(columnType, json));
            case "notin":
                return builder.notIn(column, literals(columnType, json));
            default:
                Object literal = Values.value(columnType, json.get("value"));
                return switch (op) {
                    case "eq" -> builder.equal(column, literal);
                    case "ne" -> builder.notEqual(column, literal);
                    case "lt" -> builder.lessThan(column, literal);
                    case "le" -> builder.lessOrEqual(column, literal);
                    case "gt" -> builder.greaterThan(column, literal);
                    case "ge" -> builder.greaterOrEqual(column, literal);
                    case "startswith" -> builder.startsWith(column, literal);
                    default -> throw new IllegalArgumentException("unknown predicate " + json);
                };
        }
    }

    private static List<Object> literals(DataType type, JsonNode json) {
        List<Object> literals = new ArrayList<>();
        json.get("values").forEach(value -> literals.add(Values.value(type, value)));
        return literals;
    }

    /** A row as in the requests, see Values. */
    private static ArrayNode values(RowType type, InternalRow row) {
        ArrayNode values = Protocol.JSON.createArrayNode();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataType fieldType = type.getTypeAt(i);
            Object value = InternalRow.createFieldGetter(fieldType, i).getFieldOrNull(row);
            values.addPOJO(json(fieldType, value));
        }
        return values;
    }

    static Object json(DataType type, Object value) {
        if (value == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case FLOAT:
                return real(((Float) value).doubleValue());
            case DOUBLE:
                return real((Double) value);
            case DECIMAL:
                return ((Decimal) value).toBigDecimal().toPlainString();
            case CHAR:
            case VARCHAR:
                return value.toString();
            case BINARY:
            case VARBINARY:
                return HexFormat.of().formatHex((byte[]) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return timestamp((Timestamp) value, DataTypeChecks.getPrecision(type));
            case MAP:
                InternalArray keys = ((InternalMap) value).keyArray();
                InternalArray items = ((InternalMap) value).valueArray();
                DataType itemType = ((MapType) type).getValueType();
                InternalArray.ElementGetter getter = InternalArray.createElementGetter(itemType);
                Map<String, Object> entries = new HashMap<>();
                for (int i = 0; i < keys.size(); i++) {
                    entries.put(
                            keys.getString(i).toString(),
                            json(itemType, getter.getElementOrNull(items, i)));
                }
                return entries;
            case ARRAY:
                InternalArray array = (InternalArray) value;
                DataType elementType = ((ArrayType) type).getElementType();
                InternalArray.ElementGetter element =
                        InternalArray.createElementGetter(elementType);
                List<Object> elements = new ArrayList<>();
                for (int i = 0; i < array.size(); i++) {
                    elements.add(json(elementType, element.getElementOrNull(array, i)));
                }
                return elements;
            case ROW:
                List<Object> fields = new ArrayList<>();
                List<DataType> types = ((RowType) type).getFieldTypes();
                for (int i = 0; i < types.size(); i++) {
                    InternalRow.FieldGetter field =
                            InternalRow.createFieldGetter(types.get(i), i);
                    fields.add(json(types.get(i), field.getFieldOrNull((InternalRow) value)));
                }
                return fields;
            default:
                return value; // booleans, integers, DATE and TIME as numbers
        }
    }

    private static Object real(double number) {
        boolean plain = Double.isFinite(number) && !(number == 0 && 1 / number < 0);
        return plain ? (Object) number : Double.toString(number);
    }

    private static Object timestamp(Timestamp value, int precision) {
        long plain = precision <= 3 ? value.getMillisecond() : value.toMicros();
        return precision <= 6 ? (Object) plain : Values.nanos(value);
    }

    private Tables() {}
}

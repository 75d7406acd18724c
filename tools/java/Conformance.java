import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.fileindex.FileIndexOptions;
import org.apache.paimon.fileindex.FileIndexPredicate;
import org.apache.paimon.fileindex.FileIndexResult;
import org.apache.paimon.fileindex.bitmap.BitmapIndexResult;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.io.DataFileIndexWriter;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.FieldTransform;
import org.apache.paimon.predicate.In;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.NotIn;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.predicate.SortValue;
import org.apache.paimon.predicate.TopN;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * Builds file indexes and answers predicates with the Paimon library, for Kit and Tables.
 *
 * <p>Requests: {"op": "casts", "types"}: the pairs of types with a cast; {"op": "cast", "from",
 * "to", "values"}: what each value of one type is read as in another, as text; a timestamp is a
 * number of nanoseconds, bytes are hexadecimal, an exception is null.
 */
public final class Conformance {
    public static void main(String[] args) throws Exception {
        Protocol.serve(Conformance::handle);
    }

    private static ObjectNode handle(JsonNode request) throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        switch (request.get("op").asText()) {
            case "cast":
                return answer.set("values", cast(request));
            case "casts":
                return answer.set("pairs", casts(request.get("types")));
            default:
                throw new IllegalArgumentException("unknown op " + request);
        }
    }

    /** The pairs of these types for which the library has a cast. */
    private static ArrayNode casts(JsonNode types) {
        ArrayNode pairs = Protocol.JSON.createArrayNode();
        for (JsonNode from : types) {
            for (JsonNode to : types) {
                DataType source = Values.type(from.asText());
                if (CastExecutors.resolve(source, Values.type(to.asText())) != null) {
                    pairs.addArray().add(from).add(to);
                }
            }
        }
        return pairs;
    }

    @SuppressWarnings("unchecked")
    private static ArrayNode cast(JsonNode request) {
        DataType from = Values.type(request.get("from").asText());
        DataType to = Values.type(request.get("to").asText());
        CastExecutor<Object, Object> executor =
                (CastExecutor<Object, Object>) CastExecutors.resolve(from, to);
        ArrayNode values = Protocol.JSON.createArrayNode();
        for (JsonNode json : request.get("values")) {
            Object value;
            try {
                value = executor.cast(Values.value(from, json));
            } catch (RuntimeException e) {
                value = null;
            }
            if (value instanceof Timestamp) {
                value = Values.nanos((Timestamp) value);
            } else if (value instanceof byte[]) {
                value = HexFormat.of().formatHex((byte[]) value);
            }
            values.add(value == null ? null : value.toString());
        }
        return values;
    }

    static byte[] build(JsonNode request) throws Exception {
        RowType rowType = Values.rowType(request.get("columns"));
        Map<String, String> options = new HashMap<>();
        request.get("options")
                .fields()
                .forEachRemaining(e -> options.put(e.getKey(), e.getValue().asText()));
        options.put("file-index.in-manifest-threshold", "1 gb"); // returned as bytes, not as a file
        DataFileIndexWriter writer =
                DataFileIndexWriter.create(
                        LocalFileIO.create(),
                        new Path("unused"),
                        rowType,
                        new FileIndexOptions(new CoreOptions(Options.fromMap(options))));
        for (JsonNode row : request.get("rows")) {
            writer.write(Values.row(rowType, row));
        }
        writer.close();
        return writer.result().embeddedIndexBytes();
    }

    /** The answer to a predicate, to TopN, or to TopN of the rows that a predicate selects. */
    static ObjectNode evaluate(RowType rowType, byte[] index, JsonNode json, TopN topN)
            throws Exception {
        try (FileIndexPredicate file = new FileIndexPredicate(index, rowType)) {
            FileIndexResult result =
                    file.evaluate(json.isNull() ? null : predicate(rowType, json));
            return describe(topN == null ? result : file.evaluateTopN(topN, result));
        }
    }

    /** The order and limit of a request of the conformance kit, null without an order. */
    static TopN topN(RowType rowType, JsonNode request) {
        JsonNode order = request.get("order");
        if (order == null) {
            return null;
        }
        int column = rowType.getFieldIndex(order.get("col").asText());
        FieldRef field =
                new FieldRef(column, order.get("col").asText(), rowType.getTypeAt(column));
        return new TopN(
                field,
                order.get("descending").asBoolean()
                        ? SortValue.SortDirection.DESCENDING
                        : SortValue.SortDirection.ASCENDING,
                order.get("nulls_first").asBoolean()
                        ? SortValue.NullOrdering.NULLS_FIRST
                        : SortValue.NullOrdering.NULLS_LAST,
                request.get("limit").asInt());
    }

    /** {"result": "REMAIN" | "SKIP"} or {"result": "BITMAP", "rows": [..]}. */
    private static ObjectNode describe(FileIndexResult result) {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        if (result instanceof BitmapIndexResult) {
            ArrayNode rows = answer.put("result", "BITMAP").putArray("rows");
            ((BitmapIndexResult) result).get().iterator().forEachRemaining(rows::add);
            return answer;
        }
        return answer.put("result", result.remain() ? "REMAIN" : "SKIP");
    }

    static Predicate predicate(RowType rowType, JsonNode json) {
        String op = json.get("op").asText();
        if (op.equals("and") || op.equals("or")) {
            List<Predicate> children = new ArrayList<>();
            json.get("args").forEach(child -> children.add(predicate(rowType, child)));
            return op.equals("and") ? PredicateBuilder.and(children) : PredicateBuilder.or(children);
        }
        String column = json.get("col").asText();
        DataType type = columnType(rowType, column);
        FieldTransform field = new FieldTransform(new FieldRef(0, column, type));
        PredicateBuilder builder = new PredicateBuilder(rowType);
        switch (op) {
            case "isnull":
                return builder.isNull(field);
            case "isnotnull":
                return builder.isNotNull(field);
            case "in":
                return LeafPredicate.of(field, In.INSTANCE, literals(type, json));
            case "notin":
                return LeafPredicate.of(field, NotIn.INSTANCE, literals(type, json));
            case "between":
                List<Object> ends = literals(type, json);
                return builder.between(field, ends.get(0), ends.get(1));
            default:
                Object literal = Values.value(type, json.get("value"));
                return switch (op) {
                    case "eq" -> builder.equal(field, literal);
                    case "ne" -> builder.notEqual(field, literal);
                    case "lt" -> builder.lessThan(field, literal);
                    case "le" -> builder.lessOrEqual(field, literal);
                    case "gt" -> builder.greaterThan(field, literal);
                    case "ge" -> builder.greaterOrEqual(field, literal);
                    case "startswith" -> builder.startsWith(field, literal);
                    default -> throw new IllegalArgumentException("unknown predicate " + json);
                };
        }
    }

    /** The type of a column, or of the values of a map under one key, named m[key]. */
    private static DataType columnType(RowType rowType, String column) {
        int bracket = column.indexOf('[');
        if (bracket < 0) {
            return rowType.getField(column).type();
        }
        return ((MapType) rowType.getField(column.substring(0, bracket)).type()).getValueType();
    }

    private static List<Object> literals(DataType type, JsonNode json) {
        List<Object> literals = new ArrayList<>();
        json.get("values").forEach(value -> literals.add(Values.value(type, value)));
        return literals;
    }
}

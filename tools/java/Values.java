import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * JSON to Paimon's internal values: DATE is a number of days, TIME milliseconds, TIMESTAMP a
 * number of milliseconds (precision up to 3), microseconds (up to 6) or nanoseconds; NaN,
 * infinities and -0.0 are strings; BINARY is hex; a MAP is an object, ARRAY and ROW are lists.
 * Types other than MAP of others are SQL or, in braces, JSON.
 */
final class Values {
    private static final BigInteger PER_MILLI = BigInteger.valueOf(1_000_000);

    static DataType type(String text) {
        if (text.startsWith("{")) { // as in the file of a schema
            try {
                return DataTypeJsonParser.parseDataType(Protocol.JSON.readTree(text));
            } catch (java.io.IOException e) {
                throw new IllegalArgumentException(text, e);
            }
        }
        if (text.startsWith("MAP<")) {
            int comma = text.indexOf(',');
            return DataTypes.MAP(
                    type(text.substring("MAP<".length(), comma).trim()),
                    type(text.substring(comma + 1, text.lastIndexOf('>')).trim()));
        }
        return DataTypeJsonParser.parseAtomicTypeSQLString(text);
    }

    /** A row type from [{"name": .., "type": ..}, ..]. */
    static RowType rowType(JsonNode columns) {
        RowType.Builder builder = RowType.builder();
        for (JsonNode column : columns) {
            builder.field(column.get("name").asText(), type(column.get("type").asText()));
        }
        return builder.build();
    }

    static GenericRow row(RowType type, JsonNode values) {
        GenericRow row = new GenericRow(values.size());
        for (int i = 0; i < values.size(); i++) {
            row.setField(i, value(type.getTypeAt(i), values.get(i)));
        }
        return row;
    }

    static Object value(DataType type, JsonNode json) {
        if (json == null || json.isNull()) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return json.asBoolean();
            case TINYINT:
                return (byte) json.asInt();
            case SMALLINT:
                return (short) json.asInt();
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
                return json.asInt();
            case BIGINT:
                return json.asLong();
            case FLOAT:
                return (float) real(json);
            case DOUBLE:
                return real(json);
            case DECIMAL:
                return Decimal.fromBigDecimal(
                        new BigDecimal(json.asText()),
                        DataTypeChecks.getPrecision(type),
                        DataTypeChecks.getScale(type));
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(json.asText());
            case BINARY:
            case VARBINARY:
                return HexFormat.of().parseHex(json.asText());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return timestamp(json.bigIntegerValue(), DataTypeChecks.getPrecision(type));
            case MAP:
                MapType map = (MapType) type;
                Map<Object, Object> entries = new LinkedHashMap<>();
                json.fields()
                        .forEachRemaining(
                                e ->
                                        entries.put(
                                                BinaryString.fromString(e.getKey()),
                                                value(map.getValueType(), e.getValue())));
                return new GenericMap(entries);
            case ARRAY:
                DataType elementType = ((ArrayType) type).getElementType();
                Object[] elements = new Object[json.size()];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = value(elementType, json.get(i));
                }
                return new GenericArray(elements);
            case ROW:
                return row((RowType) type, json);
            default:
                throw new IllegalArgumentException("no JSON form for " + type);
        }
    }

    private static double real(JsonNode json) {
        return json.isTextual() ? Double.parseDouble(json.asText()) : json.asDouble();
    }

    private static Timestamp timestamp(BigInteger number, int precision) {
        if (precision <= 3) {
            return Timestamp.fromEpochMillis(number.longValue());
        }
        if (precision <= 6) {
            return Timestamp.fromMicros(number.longValue());
        }
        BigInteger rest = number.mod(PER_MILLI);
        long millis = number.subtract(rest).divide(PER_MILLI).longValueExact();
        return Timestamp.fromEpochMillis(millis, rest.intValue());
    }

    static BigInteger nanos(Timestamp value) {
        BigInteger millis = BigInteger.valueOf(value.getMillisecond());
        return millis.multiply(PER_MILLI).add(BigInteger.valueOf(value.getNanoOfMillisecond()));
    }

    private Values() {}
}

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.format.OrcOptions;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.iceberg.IcebergOptions;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.ConfigOption;
import org.apache.paimon.options.FallbackKey;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.SchemaValidation;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.utils.LazyField;

/** The options of the library, and what it does with values of them. */
final class TableOptions {
    /** The type of each option: int, or the values of an enum; and the names it falls back to. */
    static ObjectNode types() throws Exception {
        ObjectNode answer = Protocol.JSON.createObjectNode();
        for (Class<?> known :
                List.of(
                        CoreOptions.class,
                        CatalogOptions.class,
                        IcebergOptions.class,
                        OrcOptions.class)) {
            for (Field field : known.getFields()) {
                if (field.getType() == ConfigOption.class) {
                    ConfigOption<?> option = (ConfigOption<?>) field.get(null);
                    answer.putObject(option.key())
                            .put("type", type(option))
                            .put("from", known.getSimpleName())
                            .putPOJO("fallbacks", fallbacks(option));
                }
            }
        }
        return answer;
    }

    private static String type(ConfigOption<?> option) throws Exception {
        Field field = ConfigOption.class.getDeclaredField("clazz");
        field.setAccessible(true);
        Class<?> type = (Class<?>) field.get(option);
        if (!type.isEnum()) {
            return type.getSimpleName();
        }
        return Arrays.stream(type.getEnumConstants())
                .map(Object::toString)
                .collect(Collectors.joining("|"));
    }

    private static List<String> fallbacks(ConfigOption<?> option) {
        List<String> names = new ArrayList<>();
        for (FallbackKey each : option.fallbackKeys()) {
            names.add(each.getKey());
        }
        return names;
    }

    /**
     * Sets options of a table without storing them, and opens the table: for each of "tries", which
     * are [option, value] pairs (null removes one), what fails first, or null.
     */
    static ObjectNode tried(JsonNode request) {
        Path path = new Path(request.get("path").asText());
        ObjectNode answer = Protocol.JSON.createObjectNode();
        ArrayNode failures = answer.putArray("failures");
        SchemaManager schemas = new SchemaManager(LocalFileIO.create(), path);
        TableSchema old = schemas.latest().get();
        boolean hasSnapshots =
                FileStoreTableFactory.create(LocalFileIO.create(), path)
                                .snapshotManager()
                                .latestSnapshot()
                        != null;
        for (JsonNode each : request.get("tries")) {
            failures.add(failure(schemas, old, hasSnapshots, path, each));
        }
        return answer;
    }

    private static String failure(
            SchemaManager schemas, TableSchema old, boolean hasSnapshots, Path path, JsonNode tried) {
        List<SchemaChange> changes = new ArrayList<>();
        for (JsonNode pair : tried) {
            String name = pair.get(0).asText();
            changes.add(
                    pair.get(1).isNull()
                            ? SchemaChange.removeOption(name)
                            : SchemaChange.setOption(name, pair.get(1).asText()));
        }
        String stage = "alter";
        try {
            TableSchema schema =
                    SchemaManager.generateTableSchema(
                            old,
                            changes,
                            new LazyField<>(() -> hasSnapshots),
                            new LazyField<>(() -> Identifier.create("d", "t")));
            SchemaValidation.validateTableSchema(schema);
            SchemaValidation.validateFallbackBranch(schemas, schema);
            stage = "open";
            FileStoreTable table =
                    FileStoreTableFactory.create(LocalFileIO.create(), path, schema);
            table.newReadBuilder().newScan();
        } catch (Throwable e) {
            return stage + ": " + Protocol.describe(e);
        }
        return null;
    }

    private TableOptions() {}
}

import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.fs.Path;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.types.DataTypes;

/**
 * Writes the example tables with the Paimon library and copies what it wrote, byte for byte.
 * Arguments: a new folder for the warehouse, the examples/ folder.
 */
public final class ExampleOrders {
    private static final int ROWS = 20_000;

    /** One data file, and its index in a file of its own, however small. */
    private static final Map<String, String> ONE_FILE =
            Map.of(
                    "bucket", "-1",
                    "file.format", "parquet",
                    "file-index.in-manifest-threshold", "1 b");

    public static void main(String[] args) throws Exception {
        Catalog catalog =
                CatalogFactory.createCatalog(CatalogContext.create(new Path(args[0])));
        catalog.createDatabase("shop", true);
        write(catalog, "orders", orderSchema(), orders(), args[1]);
        write(catalog, "worked", workedSchema(), workedExample(), args[1]);
        catalog.close();
    }

    private static Schema orderSchema() {
        return Schema.newBuilder()
                .column("order_id", DataTypes.BIGINT())
                .column("user_id", DataTypes.BIGINT())
                .column("status", DataTypes.STRING())
                .column("region", DataTypes.STRING())
                .column("amount", DataTypes.DECIMAL(10, 2))
                .column("note", DataTypes.STRING())
                .column("order_date", DataTypes.DATE())
                .options(ONE_FILE)
                .option("file-index.bitmap.columns", "status,region,user_id,note,order_date")
                .option("file-index.bitmap.user_id.version", "1")
                .build();
    }

    private static Schema workedSchema() {
        return Schema.newBuilder()
                .column("order_id", DataTypes.BIGINT())
                .column("user_id", DataTypes.BIGINT())
                .column("status", DataTypes.STRING())
                .column("region", DataTypes.STRING())
                .column("amount", DataTypes.DECIMAL(10, 2))
                .column("order_date", DataTypes.DATE())
                .options(ONE_FILE)
                .option("file-index.bitmap.columns", "status,region")
                .option("file-index.bitmap.status.version", "2")
                .option("file-index.bitmap.status.index-block-size", "16kb")
                .build();
    }

    private static List<GenericRow> orders() {
        Random random = new Random(7);
        String[] regions = {"US", "EU", "ASIA", "LATAM", "AFRICA", "OCEANIA"};
        String[] notes = {"gift", "fragile", "leave at the door", "call first", "übergroß"};
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            int draw = random.nextInt(1000);
            String status =
                    draw < 780 ? "COMPLETED"
                            : draw < 900 ? "SHIPPED"
                            : draw < 960 ? "CANCELLED"
                            : draw < 990 ? "PENDING" : "RETURNED";
            double skew = random.nextDouble();
            rows.add(
                    GenericRow.of(
                            100_001L + i,
                            1 + (long) (2_000 * skew * skew),
                            string(status),
                            string(regions[(int) (regions.length * skew * random.nextDouble())]),
                            decimal(100 + random.nextInt(50_000)),
                            string(
                                    random.nextInt(20) == 0
                                            ? notes[random.nextInt(notes.length)]
                                            : null),
                            // In the order of their dates, as orders come in.
                            (int) LocalDate.of(2025, 1, 1).plusDays(i * 365L / ROWS).toEpochDay()));
        }
        return rows;
    }

    /** The ten orders of the worked example. */
    private static List<GenericRow> workedExample() {
        String[] statuses = {
            "PENDING", "COMPLETED", "PENDING", "CANCELLED", "COMPLETED",
            "PENDING", "COMPLETED", "CANCELLED", "PENDING", "COMPLETED"
        };
        String[] regions = {"US", "EU", "ASIA", "US", "EU", "US", "ASIA", "EU", "ASIA", "US"};
        int[] amounts = {100, 200, 150, 50, 300, 120, 250, 80, 180, 400};
        int[] days = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4};
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < statuses.length; i++) {
            rows.add(
                    GenericRow.of(
                            1001L + i,
                            1L + i,
                            string(statuses[i]),
                            string(regions[i]),
                            decimal(100 * amounts[i]),
                            (int) LocalDate.of(2024, 1, days[i]).toEpochDay()));
        }
        return rows;
    }

    private static BinaryString string(String text) {
        return BinaryString.fromString(text);
    }

    private static Decimal decimal(long cents) {
        return Decimal.fromUnscaledLong(cents, 10, 2);
    }

    private static void write(
            Catalog catalog, String name, Schema schema, List<GenericRow> rows, String examples)
            throws Exception {
        Identifier identifier = Identifier.create("shop", name);
        catalog.createTable(identifier, schema, false);
        FileStoreTable table = (FileStoreTable) catalog.getTable(identifier);
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        List<CommitMessage> messages;
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            messages = write.prepareCommit();
            commit.commit(messages);
        }
        copy(table, messages, examples + "/" + name);
    }

    /** The data file, its index, and the table's schema file. */
    private static void copy(FileStoreTable table, List<CommitMessage> messages, String target)
            throws Exception {
        CommitMessageImpl message = (CommitMessageImpl) messages.get(0);
        DataFileMeta file = message.newFilesIncrement().newFiles().get(0);
        if (messages.size() != 1
                || message.newFilesIncrement().newFiles().size() != 1
                || file.extraFiles().size() != 1) {
            throw new IllegalStateException("not one data file with one index: " + messages);
        }
        java.nio.file.Path folder = Paths.get(table.location().toUri().getPath());
        java.nio.file.Path bucket = folder.resolve("bucket-0");
        Files.createDirectories(Paths.get(target));
        Files.write(
                Paths.get(target, "orders.parquet"),
                Files.readAllBytes(bucket.resolve(file.fileName())));
        Files.write(
                Paths.get(target, "orders.parquet.index"),
                Files.readAllBytes(bucket.resolve(file.extraFiles().get(0))));
        Files.write(
                Paths.get(target, "orders.schema.json"),
                Files.readAllBytes(folder.resolve("schema/schema-0")));
    }
}

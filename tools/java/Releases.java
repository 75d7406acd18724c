import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * Writes small tables with the release of Paimon on the class path, which may be any since 0.4.
 *
 * <p>{@code Releases FOLDER [OPTION=VALUE ..]} makes FOLDER/log, an append table in partitions, and
 * FOLDER/keyed, which has a primary key, buckets, deleted rows and compacted files. Beside each are
 * the rows that the release reads, a line each: FOLDER/log.rows and FOLDER/keyed.rows.
 */
public final class Releases {
    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("file.format", "parquet");
        options.put("manifest.merge-min-count", "3");
        for (int i = 1; i < args.length; i++) {
            String[] option = args[i].split("=", 2);
            options.put(option[0], option[1]);
        }
        Path folder = new Path(args[0]);

        FileStoreTable log = create(new Path(folder, "log"), options, false);
        StreamWriteBuilder builder = log.newStreamWriteBuilder();
        for (int commit = 0; commit < 4; commit++) {
            try (StreamTableWrite write = builder.newWrite();
                    StreamTableCommit committing = builder.newCommit()) {
                for (int i = 0; i < 6; i++) {
                    write.write(row(commit * 6 + i, "day-" + (commit + i) % 3, RowKind.INSERT));
                }
                committing.commit(commit, write.prepareCommit(true, commit));
            }
        }
        print(log, folder, "log");

        options.put("bucket", "2");
        FileStoreTable keyed = create(new Path(folder, "keyed"), options, true);
        builder = keyed.newStreamWriteBuilder();
        try (IOManager spill = IOManager.create(System.getProperty("java.io.tmpdir"));
                StreamTableWrite write =
                        (StreamTableWrite) builder.newWrite().withIOManager(spill);
                StreamTableCommit committing = builder.newCommit()) {
            for (int commit = 0; commit < 5; commit++) {
                for (int i = 0; i < 6; i++) {
                    write.write(row(commit * 3 + i, "day-" + i % 2, RowKind.INSERT));
                }
                if (commit > 0) {
                    write.write(row(commit * 3, "day-0", RowKind.DELETE));
                }
                if (commit == 2) {
                    for (int day = 0; day < 2; day++) {
                        for (int bucket = 0; bucket < 2; bucket++) {
                            write.compact(partition("day-" + day), bucket, true);
                        }
                    }
                }
                committing.commit(commit, write.prepareCommit(true, commit));
            }
        }
        print(keyed, folder, "keyed");
    }

    private static FileStoreTable create(Path path, Map<String, String> options, boolean keyed)
            throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.INT().notNull())
                        .column("day", DataTypes.STRING().notNull())
                        .column("name", DataTypes.STRING())
                        .column("amount", DataTypes.DECIMAL(10, 2))
                        .column("at", DataTypes.TIMESTAMP(6))
                        .partitionKeys("day");
        if (keyed) {
            schema.primaryKey("day", "id");
        }
        options.forEach(schema::option);
        new SchemaManager(LocalFileIO.create(), path).createTable(schema.build());
        return FileStoreTableFactory.create(LocalFileIO.create(), path);
    }

    private static GenericRow row(int id, String day, RowKind kind) {
        GenericRow row =
                GenericRow.of(
                        id,
                        BinaryString.fromString(day),
                        id % 5 == 4 ? null : BinaryString.fromString("name-" + id % 4),
                        Decimal.fromUnscaledLong(id * 25L, 10, 2),
                        Timestamp.fromEpochMillis(1_700_000_000_000L + id * 1_000L));
        row.setRowKind(kind);
        return row;
    }

    private static BinaryRow partition(String day) {
        BinaryRow row = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeString(0, BinaryString.fromString(day));
        writer.complete();
        return row;
    }

    private static void print(FileStoreTable table, Path folder, String name) throws Exception {
        List<String> lines = new ArrayList<>();
        ReadBuilder builder = table.newReadBuilder();
        RecordReader<InternalRow> reader =
                builder.newRead().createReader(builder.newScan().plan().splits());
        try (RecordReaderIterator<InternalRow> rows = new RecordReaderIterator<>(reader)) {
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                lines.add(
                        row.getInt(0)
                                + "|"
                                + row.getString(1)
                                + "|"
                                + (row.isNullAt(2) ? "" : row.getString(2))
                                + "|"
                                + row.getDecimal(3, 10, 2)
                                + "|"
                                + row.getTimestamp(4, 6).getMillisecond());
            }
        }
        Collections.sort(lines);
        Files.write(
                java.nio.file.Paths.get(folder.toUri().getPath(), name + ".rows"),
                String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }
}

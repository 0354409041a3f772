package dev.cotenant.service.store;

import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedQuota;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.interference.risk.SharedJob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Measured speeds in SQL. Thread safe. */
public final class SqlSpeeds implements SpeedStore {
  private final Database database;

  public SqlSpeeds(Database database) {
    this.database = database;
  }

  @Override
  public void add(List<MeasuredSpeed> rows) {
    database.transact(connection -> {
      for (MeasuredSpeed row : rows) {
        Rows.change(
            connection,
            "INSERT INTO measured_speed (namespace, pod, device, job, neighbours, speed,"
                + " measured_at, source, work) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row.namespace(),
            row.pod(),
            row.device(),
            text(row.job()),
            row.neighbours().stream().map(SqlSpeeds::text).collect(Collectors.joining("\n")),
            row.speed(),
            Rows.timestamp(row.at()),
            row.source().name(),
            row.work());
      }
      for (String namespace : new TreeSet<>(rows.stream().map(MeasuredSpeed::namespace).toList())) {
        trim(connection, namespace);
      }
      return rows.size();
    });
  }

  private static void trim(Connection connection, String namespace) throws SQLException {
    List<Long> numbers = new ArrayList<>();
    List<MeasuredSpeed> rows =
        rows(
            connection,
            namespace,
            row -> {
              numbers.add(row.getLong(10));
              return speed(row);
            });
    for (int surplus : SpeedQuota.surplus(rows)) {
      Rows.change(
          connection, "DELETE FROM measured_speed WHERE speed_number = ?", numbers.get(surplus));
    }
  }

  @Override
  public Map<String, Long> newest() {
    return database.transact(connection -> {
      Map<String, Long> newest = new HashMap<>();
      Rows.list(
          connection,
          "SELECT namespace, CAST(SUM(speed_number) AS BIGINT) FROM measured_speed GROUP BY"
              + " namespace",
          row -> newest.put(row.getString(1), row.getLong(2)));
      return newest;
    });
  }

  @Override
  public List<MeasuredSpeed> of(String namespace) {
    return database.transact(connection -> rows(connection, namespace, SqlSpeeds::speed));
  }

  private static List<MeasuredSpeed> rows(
      Connection connection, String namespace, Rows.Reader<MeasuredSpeed> reader)
      throws SQLException {
    return Rows.list(
        connection,
        "SELECT namespace, pod, device, job, neighbours, speed, measured_at, source, work,"
            + " speed_number FROM measured_speed WHERE namespace = ? ORDER BY speed_number",
        reader,
        namespace);
  }

  private static MeasuredSpeed speed(ResultSet row) throws SQLException {
    return new MeasuredSpeed(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        job(row.getString(4)),
        row.getString(5).lines().map(SqlSpeeds::job).toList(),
        row.getDouble(6),
        Rows.instant(row, 7),
        SpeedSource.valueOf(row.getString(8)),
        row.getString(9));
  }

  private static String text(SharedJob job) {
    return String.join(
        "\t",
        job.configuration(),
        job.model(),
        String.valueOf(job.utilization()),
        String.valueOf(job.bandwidth()));
  }

  private static SharedJob job(String text) {
    String[] parts = text.split("\t", 4);
    return new SharedJob(
        parts[0], parts[1], Double.parseDouble(parts[2]), Double.parseDouble(parts[3]));
  }
}

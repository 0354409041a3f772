package dev.cotenant.service.store;

import dev.cotenant.service.history.ClusterState;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.HistoryStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The history in SQL. Thread safe. */
public final class SqlHistory implements HistoryStore {
  private static final int QUARTER_HOUR = 15;
  private static final int SECONDS = 60;
  private static final int BATCH = 1_000;

  /** Names of tenants are joined by it, which no name contains. */
  private static final String SEPARATOR = "\n";

  private static final int MAX_TENANTS = 16_384;

  private final Database database;

  public SqlHistory(Database database) {
    this.database = database;
  }

  @Override
  public boolean add(long minute, ClusterState state) {
    return database.transact(connection -> {
      boolean isFirst = figure(connection, minute, Figure.GPUS, state) > 0;
      if (isFirst) {
        for (Figure figure : state.figures().keySet()) {
          figure(connection, minute, figure, state);
        }
        addGpus(connection, minute, state.rows());
      }
      return isFirst;
    });
  }

  private static int figure(Connection connection, long minute, Figure figure, ClusterState state)
      throws SQLException {
    return Rows.change(
        connection,
        "INSERT INTO cluster_history (at_minute, figure, amount) VALUES (?, ?, ?)"
            + " ON CONFLICT DO NOTHING",
        minute,
        figure.key(),
        state.figures().get(figure));
  }

  private static void addGpus(Connection connection, long minute, List<GpuRow> rows)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO gpu_history (gpu, at_minute, quarter_hour, used_bytes,"
                + " forecast_upper_bytes, granted_bytes, utilization_percent, predicted_percent,"
                + " tenants) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")) {
      int waiting = 0;
      for (GpuRow row : rows) {
        @Nullable Object[] values = {
          row.uuid(),
          minute,
          minute % QUARTER_HOUR == 0,
          row.usedBytes(),
          row.forecastUpperBytes(),
          row.grantedBytes(),
          row.utilizationPercent(),
          row.predictedPercent(),
          tenants(row)
        };
        for (int i = 0; i < values.length; i++) {
          insert.setObject(i + 1, values[i]);
        }
        insert.addBatch();
        waiting++;
        if (waiting == BATCH) {
          insert.executeBatch();
          waiting = 0;
        }
      }
      insert.executeBatch();
    }
  }

  private static String tenants(GpuRow row) {
    String names = String.join(SEPARATOR, row.tenants());
    return names.length() <= MAX_TENANTS
        ? names
        : names.substring(0, names.lastIndexOf(SEPARATOR, MAX_TENANTS));
  }

  @Override
  public void trim(long before, long fineBefore, long gpuRows) {
    database.transact(connection ->
        Rows.change(connection, "DELETE FROM cluster_history WHERE at_minute < ?", before)
            + Rows.change(
                connection,
                "DELETE FROM gpu_history WHERE at_minute < ? OR (at_minute < ? AND NOT"
                    + " quarter_hour)",
                before,
                fineBefore)
            + Rows.change(
                connection,
                "DELETE FROM gpu_history WHERE at_minute <= (SELECT at_minute FROM gpu_history"
                    + " ORDER BY at_minute DESC LIMIT 1 OFFSET ?)",
                gpuRows));
  }

  @Override
  public List<Point> points(long from, int step) {
    return database.transact(connection -> {
      Map<Long, Map<String, Double>> points = new TreeMap<>();
      Map<Long, Integer> minutes = new HashMap<>();
      Rows.list(
          connection,
          "SELECT (at_minute / ?) * ? AS at_step, figure, AVG(amount), COUNT(*) FROM"
              + " cluster_history WHERE at_minute >= ? GROUP BY at_step, figure",
          row -> {
            points
                .computeIfAbsent(row.getLong(1), _ -> new HashMap<>())
                .put(row.getString(2), row.getDouble(3));
            return minutes.merge(row.getLong(1), row.getInt(4), Math::max);
          },
          (long) step,
          (long) step,
          from);
      List<Point> all = new ArrayList<>();
      points.forEach(
          (at, figures) -> all.add(new Point(instant(at), minutes.getOrDefault(at, 0), figures)));
      return all;
    });
  }

  @Override
  public List<GpuPoint> gpu(String uuid, long from) {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT at_minute, used_bytes, forecast_upper_bytes, granted_bytes,"
                + " utilization_percent, predicted_percent, tenants FROM gpu_history"
                + " WHERE gpu = ? AND at_minute >= ? ORDER BY at_minute",
            SqlHistory::gpuPoint,
            uuid,
            from));
  }

  private static GpuPoint gpuPoint(ResultSet row) throws SQLException {
    return new GpuPoint(
        instant(row.getLong(1)),
        row.getObject(2, Long.class),
        row.getObject(3, Long.class),
        row.getLong(4),
        row.getObject(5, Double.class),
        row.getDouble(6),
        row.getString(7).isEmpty() ? List.of() : List.of(row.getString(7).split(SEPARATOR)));
  }

  private static String instant(long minute) {
    return Instant.ofEpochSecond(minute * SECONDS).toString();
  }
}

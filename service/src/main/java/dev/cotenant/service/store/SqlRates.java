package dev.cotenant.service.store;

import dev.cotenant.engine.rate.RateStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Request rates by the hour in SQL. Thread safe. */
public final class SqlRates implements RateStore {
  private static final Rows.Numbered TABLE = new Rows.Numbered("hourly_rate", "rate_number");

  private final Database database;

  public SqlRates(Database database) {
    this.database = database;
  }

  @Override
  public void add(List<HourlyRate> rates) {
    database.transact(connection -> {
      Set<Rows.Workload> changed = new HashSet<>();
      for (HourlyRate rate : rates) {
        put(connection, rate);
        changed.add(new Rows.Workload(rate.namespace(), rate.workload()));
      }
      TABLE.trim(connection, changed, OF_ONE, OF_NAMESPACE, OF_ALL);
      return rates.size();
    });
  }

  /** A larger one is a new row, so that the state changes. */
  private static void put(Connection connection, HourlyRate rate) throws SQLException {
    OffsetDateTime hour = Rows.timestamp(rate.hour());
    List<Double> stored =
        Rows.list(
            connection,
            "SELECT per_second FROM hourly_rate WHERE namespace = ? AND workload = ? AND hour_end"
                + " = ?",
            row -> row.getDouble(1),
            rate.namespace(),
            rate.workload(),
            hour);
    if (stored.stream().anyMatch(other -> other >= rate.perSecond())) {
      return;
    }
    Rows.change(
        connection,
        "DELETE FROM hourly_rate WHERE namespace = ? AND workload = ? AND hour_end = ?",
        rate.namespace(),
        rate.workload(),
        hour);
    Rows.change(
        connection,
        "INSERT INTO hourly_rate (namespace, workload, per_second, hour_end) VALUES (?, ?, ?, ?)",
        rate.namespace(),
        rate.workload(),
        rate.perSecond(),
        hour);
  }

  @Override
  public long state() {
    return database.transact(TABLE::state);
  }

  @Override
  public List<HourlyRate> all() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, workload, per_second, hour_end FROM hourly_rate ORDER BY"
                + " rate_number",
            row ->
                new HourlyRate(
                    row.getString(1), row.getString(2), row.getDouble(3), Rows.instant(row, 4))));
  }
}

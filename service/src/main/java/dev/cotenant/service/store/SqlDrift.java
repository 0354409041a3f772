package dev.cotenant.service.store;

import dev.cotenant.service.evidence.DriftStore;
import java.time.Instant;
import java.util.List;

/** Measured runs in SQL. Thread safe. */
public final class SqlDrift implements DriftStore {
  private final Database database;

  public SqlDrift(Database database) {
    this.database = database;
  }

  @Override
  public void add(Run run) {
    database.transact(connection ->
        Rows.change(
                connection,
                "INSERT INTO drift_run (device, measured_at, log_ratio, above_upper) VALUES (?, ?,"
                    + " ?, ?)",
                run.device(),
                run.at().toEpochMilli(),
                run.logRatio(),
                run.isAboveUpper())
            + Rows.change(
                connection,
                "DELETE FROM drift_run WHERE device = ? AND run_number <= (SELECT run_number FROM"
                    + " drift_run WHERE device = ? ORDER BY run_number DESC LIMIT 1 OFFSET ?)",
                run.device(),
                run.device(),
                MAX_RUNS));
  }

  @Override
  public List<Run> newest() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT device, measured_at, log_ratio, above_upper FROM drift_run ORDER BY device,"
                + " run_number",
            row ->
                new Run(
                    row.getString(1),
                    Instant.ofEpochMilli(row.getLong(2)),
                    row.getDouble(3),
                    row.getBoolean(4))));
  }
}

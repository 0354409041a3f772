package dev.cotenant.service.store;

import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.service.lifecycle.MeasurementExpiry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;

/** Ages of all measurements in SQL. Thread safe. */
public final class SqlMeasurements implements MeasurementExpiry.Store {
  private final Database database;

  public SqlMeasurements(Database database) {
    this.database = database;
  }

  @Override
  public Map<String, Integer> deleteBefore(Instant instant) {
    OffsetDateTime before = Rows.timestamp(instant);
    Map<String, Integer> deleted =
        database.transact(connection ->
            Map.of(
                "run",
                Rows.change(
                    connection,
                    "DELETE FROM profile WHERE received_at < ? AND namespace <> ?",
                    before,
                    ProfileStore.SHARED),
                "speed",
                Rows.change(connection, "DELETE FROM measured_speed WHERE measured_at < ?", before),
                "start",
                starts(connection, before),
                "stay",
                Rows.change(connection, "DELETE FROM stay WHERE ended_at < ?", before),
                "rate",
                Rows.change(connection, "DELETE FROM hourly_rate WHERE hour_end < ?", before)));
    database.compact();
    return deleted;
  }

  /** Also deletes versions of releases without starts. */
  private static int starts(Connection connection, OffsetDateTime before) throws SQLException {
    int deleted =
        Rows.change(connection, "DELETE FROM measured_start WHERE received_at < ?", before);
    if (deleted > 0) {
      Rows.change(
          connection,
          "DELETE FROM serving_version WHERE NOT EXISTS (SELECT 1 FROM measured_start WHERE"
              + " measured_start.namespace = serving_version.namespace AND"
              + " measured_start.engine_release = serving_version.engine_release)");
    }
    return deleted;
  }
}

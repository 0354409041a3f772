package dev.cotenant.service.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;

/**
 * Brings a database's schema up to date with Flyway: SQL files, the same for both databases, and
 * the history table {@code flyway_schema_history}. Replicas that start together wait for one
 * another. Every statement may run again: H2 commits each by itself, and a failure may come between
 * two.
 */
final class Schema {
  private static final String FILES = "classpath:dev/cotenant/service/store";
  private static final int ATTEMPTS = 5;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private Schema() {}

  /**
   * Applies the missing migrations.
   *
   * @throws SQLException also when a newer Cotenant wrote the schema
   */
  static void update(DataSource database) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        migrate(database);
        return;
      } catch (FlywayException e) {
        if (attempt == ATTEMPTS || !isRace(e)) {
          throw new SQLException(oneLine(e), e.getCause());
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /**
   * Flyway locks its history table, but not its creation: of replicas that create it together, some
   * find a state that Flyway refuses, without a failure of the database.
   */
  private static boolean isRace(FlywayException e) {
    return e.getCause() == null;
  }

  private static void migrate(DataSource database) throws SQLException {
    Flyway flyway =
        Flyway.configure(Schema.class.getClassLoader())
            .dataSource(database)
            .locations(FILES)
            .baselineOnMigrate(true) // other programs may have tables in a PostgreSQL schema
            .baselineVersion("0")
            .outOfOrder(true) // a version below one that is applied is still applied
            .load();
    MigrationInfo[] known = flyway.info().all();
    refuseNewer(known);
    if (Stream.of(known).anyMatch(migration -> migration.getState().isFailed())) {
      flyway.repair();
    }
    flyway.migrate();
  }

  private static void refuseNewer(MigrationInfo[] known) throws SQLException {
    for (MigrationInfo migration : known) {
      if (migration.getState().isApplied() && !migration.getState().isResolved()) {
        throw new SQLException(
            "its schema has version "
                + migration.getVersion()
                + ", which this Cotenant does not support: start the newer Cotenant");
      }
    }
  }

  private static String oneLine(FlywayException e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}

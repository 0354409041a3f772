package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.FaultyProxy;
import dev.cotenant.service.ProcessLimits;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  /** More than the limit of the socket, less than the 70 seconds without one. */
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  /** Bytes, more than H2 holds back. */
  private static final int TOO_MUCH = 16 << 20;

  @TempDir Path directory;

  private DatabaseSettings embedded() {
    return DatabaseSettings.embedded(directory);
  }

  @Test
  void saysWhatTheDeepestCauseSaysThatSaysAnything() {
    try (Database database = Database.of(embedded())) {
      SQLException late = new SQLException("no connection in time", new TimeoutException());
      SQLException full = new SQLException("closed", new SQLException("No space left on device"));

      assertThat(database.failed(late)).hasMessageEndingWith(": no connection in time");
      assertThat(database.failed(full)).hasMessageEndingWith(": No space left on device");
      assertThat(database.failed(new SQLException())).hasMessageEndingWith(": no reason given");
    }
  }

  @Test
  void aBusyMachineMayTakeItsTimeToOpenAFile() {
    DatabaseSettings server = settings("jdbc:postgresql://db/cotenant");

    assertThat(Database.patience(embedded())).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
    assertThat(Database.patience(server)).isLessThan(Duration.ofSeconds(10));
  }

  /**
   * H2 would end the reader's transaction twice, and the next statement would have no end: one
   * connection fails to write, and then another one that has only read is rolled back.
   */
  @Test
  void aTransactionIsUndoneAmidAFullDisk() throws Exception {
    try (Database database = Database.of(embedded())) {
      assertThat(write(database, "small", 1)).isOne();

      assertTimeoutPreemptively(
          PATIENCE,
          () ->
              assertThrows(
                  StoreException.class,
                  () ->
                      database.transact(reader -> {
                        List<String> stored = parts(reader);
                        assertThrows(StoreException.class, () -> writeTooMuch(database));
                        return stored;
                      })));

      assertThat(database.transact(DatabaseTest::parts)).containsExactly("small");
      assertThat(write(database, "large", TOO_MUCH)).isOne();
    }
  }

  /** Files of this process may grow no further meanwhile. */
  private static void writeTooMuch(Database database) throws IOException, InterruptedException {
    ProcessLimits.set(ProcessHandle.current().pid(), "--fsize", String.valueOf(TOO_MUCH / 2));
    try {
      write(database, "large", TOO_MUCH);
    } finally {
      ProcessLimits.set(ProcessHandle.current().pid(), "--fsize", "unlimited");
    }
  }

  private static int write(Database database, String name, int bytes) {
    return database.transact(connection ->
        Rows.change(
            connection,
            "INSERT INTO file_part (sha256, part, content) VALUES (?, 0, ?)",
            name,
            new byte[bytes]));
  }

  private static List<String> parts(Connection connection) throws SQLException {
    return Rows.list(connection, "SELECT sha256 FROM file_part", row -> row.getString(1));
  }

  @Test
  void chunksOfTheFileThatHoldLittleAreEmptied() {
    try (Database database = Database.of(embedded())) {
      database.transact(connection -> Rows.change(connection, "SET RETENTION_TIME 0"));
      for (int minute = 0; minute < 2_000; minute++) {
        write(database, "minute-" + minute, 100);
      }
      int before = livePercent(database);
      for (int minute = 0; minute < 20; minute++) {
        database.compact();
        write(database, "later-" + minute, 1);
      }
      assertThat(livePercent(database)).isGreaterThan(2 * before);
      assertThat(database.transact(DatabaseTest::parts)).hasSize(2_020);
    }
  }

  private static int livePercent(Database database) {
    return database.transact(connection ->
        Rows.list(
                connection,
                "SELECT setting_value FROM information_schema.settings"
                    + " WHERE setting_name = 'info.CHUNKS_FILL_RATE'",
                row -> row.getInt(1))
            .getFirst());
  }

  /** What the driver is told where the URL says nothing of it. */
  @Test
  void aCallToAServerHasALimit() {
    assertThat(
            Database.configuration(settings("jdbc:postgresql://db/cotenant"))
                .get()
                .connectionPoolConfiguration()
                .connectionFactoryConfiguration()
                .jdbcProperties())
        .containsEntry("socketTimeout", "10");
  }

  private DatabaseSettings settings(String url) {
    return new DatabaseSettings(Optional.of(url), Optional.empty(), Optional.empty(), directory);
  }

  @Test
  void aCallToAServerThatSaysNothingAnyMoreIsCutOff() throws Exception {
    isCutOff("?socketTimeout=2");
  }

  @Test
  @Tag("long")
  void aCallToAServerThatSaysNothingAnyMoreIsCutOffWithoutALimitInTheUrl() throws Exception {
    isCutOff("");
  }

  /** Without a limit on the socket the call would wait until the server's machine is gone. */
  private void isCutOff(String limit) throws Exception {
    DatabaseSettings real = TestDatabases.postgres();
    URI server = URI.create(real.url().orElseThrow().substring("jdbc:".length()));
    try (FaultyProxy proxy = new FaultyProxy(server);
        Database database =
            Database.of(
                new DatabaseSettings(
                    Optional.of(
                        "jdbc:postgresql://127.0.0.1:" + proxy.port() + server.getPath() + limit),
                    real.user(),
                    real.password(),
                    directory))) {
      database.check();
      StoreException inFlight =
          assertTimeoutPreemptively(
              PATIENCE,
              () ->
                  assertThrows(
                      StoreException.class,
                      () ->
                          database.transact(connection -> {
                            proxy.set(FaultyProxy.State.DROPPED);
                            return connection.createStatement().execute("SELECT 1");
                          })));
      assertThat(inFlight).hasMessageContaining("cannot be used");
      assertTimeoutPreemptively(
          PATIENCE, () -> assertThrows(StoreException.class, database::check));

      proxy.set(FaultyProxy.State.WHOLE);
      database.check();
    }
  }
}

package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.engine.lifecycle.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {
  private static final String NEWER =
      "INSERT INTO \"flyway_schema_history\" SELECT 99, '99', 'later', \"type\", 'V99__later.sql',"
          + " 0, \"installed_by\", \"installed_on\", 1, TRUE FROM \"flyway_schema_history\" WHERE"
          + " \"version\" = '1'";

  @TempDir Path directory;

  private DatabaseSettings settings(String database) throws Exception {
    return database.equals("embedded")
        ? DatabaseSettings.embedded(directory)
        : TestDatabases.postgres();
  }

  private static void check(DatabaseSettings settings) {
    try (Database database = Database.of(settings)) {
      database.check();
    }
  }

  private static void change(DatabaseSettings settings, String sql) {
    try (Database database = Database.of(settings)) {
      database.transact(connection -> execute(connection, sql));
    }
  }

  private static int execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void refusesASchemaOfANewerVersion(String kind) throws Exception {
    DatabaseSettings settings = settings(kind);
    change(settings, NEWER);

    assertThatThrownBy(() -> check(settings))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(settings.description())
        .hasMessageContaining("its schema has version 99")
        .hasMessageEndingWith("start the newer Cotenant")
        .message()
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void repeatsAMigrationThatFailed(String kind) throws Exception {
    DatabaseSettings settings = settings(kind);
    change(settings, "DROP TABLE training");
    change(settings, "UPDATE \"flyway_schema_history\" SET \"success\" = FALSE");

    try (Database database = Database.of(settings)) {
      assertThat(database.<Integer>transact(c -> execute(c, "DELETE FROM training"))).isZero();
    }
  }

  @Test
  void namesAMigrationThatWasEdited() throws Exception {
    DatabaseSettings settings = settings("embedded");
    change(settings, "UPDATE \"flyway_schema_history\" SET \"checksum\" = 1");

    assertThatThrownBy(() -> check(settings))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("checksum mismatch for migration version 1")
        .message()
        .hasLineCount(1);
  }

  @Test
  void isMadeOnceByReplicasThatStartTogether() throws Exception {
    DatabaseSettings settings = TestDatabases.postgres();
    List<Database> replicas = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      replicas.add(Database.of(settings));
    }
    try (ExecutorService starts = Executors.newFixedThreadPool(replicas.size())) {
      List<Callable<Void>> checks = new ArrayList<>();
      replicas.forEach(replica ->
          checks.add(() -> {
            replica.check();
            return null;
          }));
      for (Future<Void> check : starts.invokeAll(checks)) {
        check.get();
      }
    }
    replicas.forEach(Database::close);
  }

  @Test
  void leavesTablesOfOthersAlone() throws Exception {
    DatabaseSettings settings = TestDatabases.postgres();
    try (Connection connection =
            DriverManager.getConnection(
                settings.url().orElseThrow(),
                settings.user().orElse(""),
                settings.password().orElse(""));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE theirs (number INTEGER)");
    }

    try (Database database = Database.of(settings)) {
      assertThat(database.<Integer>transact(c -> execute(c, "INSERT INTO theirs VALUES (1)")))
          .isEqualTo(1);
    }
  }

  @Test
  void leavesADamagedFileAsItIs() throws Exception {
    Path file = Files.writeString(directory.resolve("cotenant.mv.db"), "damaged".repeat(1_000));

    assertThatThrownBy(() -> check(DatabaseSettings.embedded(directory)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(directory.toString())
        .message()
        .hasLineCount(1);
    assertThat(file).hasContent("damaged".repeat(1_000));
  }

  @Test
  void namesADirectoryThatCannotBeWritten() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThatThrownBy(() -> check(DatabaseSettings.embedded(file)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file.toString())
        .message()
        .hasLineCount(1);
  }

  /** Flyway applies versions in their order, with gaps between them. */
  @Test
  void versionsAreWholeNumbersEachOnce() throws Exception {
    Path files =
        Path.of(
            java.util.Objects.requireNonNull(SchemaTest.class.getResource("V1__life_cycle.sql"))
                .toURI());
    try (Stream<Path> all = Files.list(java.util.Objects.requireNonNull(files.getParent()))) {
      List<String> names =
          all.map(file -> String.valueOf(file.getFileName()))
              .filter(name -> name.endsWith(".sql"))
              .toList();
      assertThat(names)
          .hasSizeGreaterThan(2)
          .allMatch(name -> name.matches("V[1-9]\\d*__\\w+\\.sql"));
      assertThat(names.stream().map(name -> name.substring(1, name.indexOf("__"))))
          .doesNotHaveDuplicates();
    }
  }

  /** As in a database that met a version before the gap below it was filled. */
  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void aVersionBelowTheNewestIsStillApplied(String kind) throws Exception {
    DatabaseSettings settings = settings(kind);
    change(settings, "DROP TABLE measured_speed");
    change(settings, "DELETE FROM \"flyway_schema_history\" WHERE \"version\" = '2'");

    try (Database database = Database.of(settings)) {
      assertThat(database.<Integer>transact(c -> execute(c, "DELETE FROM measured_speed")))
          .isZero();
    }
  }
}

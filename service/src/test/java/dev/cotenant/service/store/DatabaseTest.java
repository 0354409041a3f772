package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
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
    DatabaseSettings server =
        new DatabaseSettings(
            Optional.of("jdbc:postgresql://db/cotenant"),
            Optional.empty(),
            Optional.empty(),
            directory);

    assertThat(Database.patience(embedded())).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
    assertThat(Database.patience(server)).isLessThan(Duration.ofSeconds(10));
  }
}

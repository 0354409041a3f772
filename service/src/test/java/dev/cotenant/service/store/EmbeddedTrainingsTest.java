package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.TrainingStore;
import dev.cotenant.engine.testing.TrainingStoreContract;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedTrainingsTest extends TrainingStoreContract {
  @TempDir Path directory;
  private @Nullable Database database;

  @BeforeEach
  void open() {
    database = Database.of(DatabaseSettings.embedded(directory));
  }

  @AfterEach
  void close() {
    if (database != null) {
      database.close();
    }
  }

  @Override
  protected TrainingStore trainings() {
    return new SqlTrainings(Objects.requireNonNull(database));
  }
}

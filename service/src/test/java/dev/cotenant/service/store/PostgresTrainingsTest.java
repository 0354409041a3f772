package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.TrainingStore;
import dev.cotenant.engine.testing.TrainingStoreContract;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class PostgresTrainingsTest extends TrainingStoreContract {
  private @Nullable Database database;

  @BeforeEach
  void open() throws IOException, InterruptedException, SQLException {
    database = Database.of(TestDatabases.postgres());
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

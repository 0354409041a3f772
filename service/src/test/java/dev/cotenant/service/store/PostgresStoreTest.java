package dev.cotenant.service.store;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.testing.ModelStoreContract;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class PostgresStoreTest extends ModelStoreContract {
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
  protected ModelStore store() {
    return new SqlModelStore(java.util.Objects.requireNonNull(database), DeviceCatalogue::builtIn);
  }
}

package dev.cotenant.service.store;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.testing.ModelStoreContract;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStoreTest extends ModelStoreContract {
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
  protected ModelStore store() {
    return new SqlModelStore(java.util.Objects.requireNonNull(database), DeviceCatalogue.builtIn());
  }
}

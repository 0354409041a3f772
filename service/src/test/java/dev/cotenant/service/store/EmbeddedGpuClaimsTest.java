package dev.cotenant.service.store;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedGpuClaimsTest extends GpuClaimsContract {
  @TempDir Path directory;

  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.embedded(directory);
  }
}

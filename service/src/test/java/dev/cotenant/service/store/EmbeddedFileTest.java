package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedFileTest {
  @TempDir Path directory;

  private void open(Path data) {
    try (Database database = Database.of(DatabaseSettings.embedded(data))) {
      database.check();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void isItsOwnersAlone() throws IOException {
    Path data = directory.resolve("new");
    open(data);

    assertThat(mode(data)).isEqualTo("rwx------");
    assertThat(mode(data.resolve("cotenant.mv.db"))).isEqualTo("rw-------");
    assertThat(data.resolve("cotenant.mv.db")).isNotEmptyFile();
  }

  @Test
  void becomesItsOwnersAloneWhereAnEarlierVersionLeftItOpen() throws IOException {
    open(directory);
    Path file = directory.resolve("cotenant.mv.db");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    open(directory);

    assertThat(mode(file)).isEqualTo("rw-------");
  }
}

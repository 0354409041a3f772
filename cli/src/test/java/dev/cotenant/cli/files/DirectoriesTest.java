package dev.cotenant.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {
  @TempDir Path folder;

  @Test
  void clearsAllButOneFile() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "stays");
    Path data = Files.createDirectories(folder.resolve("data"));
    Files.writeString(data.resolve("kept"), "stays");
    Files.writeString(data.resolve("rows"), "goes");
    Files.writeString(Files.createDirectories(data.resolve("models/a")).resolve("kept"), "goes");
    Files.createSymbolicLink(data.resolve("link"), outside);

    Directories.clear(data, "kept");

    try (Stream<Path> left = Files.list(data)) {
      assertThat(left).containsExactly(data.resolve("kept"));
    }
    assertThat(outside).exists();
  }

  @Test
  void clearsNothingWhereThereIsNoDirectory() throws IOException {
    Directories.clear(folder.resolve("none"), "kept");

    assertThat(folder.resolve("none")).doesNotExist();
  }
}

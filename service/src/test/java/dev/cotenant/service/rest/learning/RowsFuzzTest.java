package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.testing.Fuzzer;
import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class RowsFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfRows() throws Exception {
    Map<String, byte[]> seeds = new HashMap<>();
    for (Path file : examples()) {
      seeds.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    Fuzzer.run(RowsFuzzTarget.class, seeds, 1 << 12, Duration.ofSeconds(60));
  }

  private static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.walk(RunningService.root().resolve("examples"))) {
      return files.filter(file -> file.toString().endsWith(".csv")).toList();
    }
  }
}

package dev.cotenant.admission;

import dev.cotenant.domain.testing.Fuzzer;
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
class AdmissionFuzzTest {
  private static final int KINDS = 13;

  @Test
  void letsNothingOutOfReviewsTheExtenderAndStoredState() throws Exception {
    Map<String, byte[]> seeds = new HashMap<>();
    try (Stream<Path> reviews = Files.list(Path.of("src/test/resources/reviews"))) {
      for (Path review : reviews.toList()) {
        byte[] body = Files.readAllBytes(review);
        for (int kind = 0; kind < KINDS; kind += 3) {
          seeds.put(review.getFileName() + "-" + kind, with(kind, body));
        }
      }
    }
    List<Path> extender = stored("src/test/resources/upgrade");
    for (Path file : extender) {
      byte[] body = Files.readAllBytes(file);
      seeds.put("upgrade-" + file.getFileName(), with(KINDS - 1, body));
      seeds.put("reserved-" + file.getFileName(), with(KINDS - 2, body));
    }
    Fuzzer.run(AdmissionFuzzTarget.class, seeds, 1 << 14, Duration.ofSeconds(60));
  }

  private static List<Path> stored(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static byte[] with(int kind, byte[] body) {
    byte[] all = new byte[body.length + 1];
    all[0] = (byte) kind;
    System.arraycopy(body, 0, all, 1, body.length);
    return all;
  }
}

package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every hostile model of up to 16 MB ends in features or a refusal in a heap of 256 MB. The times
 * are printed and not asserted, but for a bound that only a hang exceeds; {@code
 * -Dtest=HostileGraphsTest} shows them.
 */
@Tag("long")
class HostileGraphsTest {
  private static final long HANG_MINUTES = 10;

  @Test
  void holdsEveryModelInAHeapOf256Megabytes(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    Process run =
        new ProcessBuilder(
                List.of(
                    java,
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-cp",
                    classes,
                    HostileGraphRun.class.getName()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = run.waitFor(HANG_MINUTES, TimeUnit.MINUTES);
    run.destroyForcibly();
    String lines = Files.readString(output);
    System.out.println(lines);
    assertThat(ended).as(lines).isTrue();
    assertThat(run.waitFor()).as(lines).isZero();
    assertThat(lines.lines().count()).isGreaterThan(100);
  }
}

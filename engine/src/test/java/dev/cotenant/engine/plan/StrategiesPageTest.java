package dev.cotenant.engine.plan;

import dev.cotenant.domain.testing.GeneratedPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/planning.md} lists the strategies with the notes of their Javadoc. */
class StrategiesPageTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  @Test
  void servicesAreInThePage() throws IOException {
    check(
        "services",
        "| services | algorithm | source | Poisson | limits |",
        Strategies.standard().all(true, false));
  }

  @Test
  void jobsAreInThePage() throws IOException {
    check("jobs", "| jobs | algorithm | source |", Strategies.standard().all(false, true));
  }

  private static void check(String kind, String header, List<Strategies.Pair> strategies)
      throws IOException {
    List<String> rows = new ArrayList<>();
    rows.add(header);
    rows.add(header.replaceAll("[^|]+", "---"));
    for (Strategies.Pair strategy : strategies) {
      rows.add("| `" + strategy.name() + "` | " + note(strategy.name()) + " |");
    }
    GeneratedPart.check("docs/planning.md", "StrategiesPageTest, " + kind, rows);
  }

  private static String note(String strategy) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("placement/src/main/java"))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(file -> GeneratedPart.note(ROOT.relativize(file).toString(), '"' + strategy + '"'))
          .flatMap(Optional::stream)
          .findFirst()
          .orElseThrow(() -> new AssertionError("no @apiNote before \"" + strategy + '"'));
    }
  }
}

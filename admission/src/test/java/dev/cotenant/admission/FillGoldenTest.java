package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Pods of the documents of each sharing layer, with the annotations of a model, named by their
 * dialect: what the modes do with them, on the empty cluster.
 */
class FillGoldenTest {
  private static final Path RESOURCES =
      Path.of(System.getProperty("basedir", "."), "src/test/resources");
  private static final boolean UPDATE = Boolean.getBoolean("cotenant.golden.update");

  @TestFactory
  Stream<DynamicTest> fillsDocumentedPodsAsTheirGoldensSay() throws IOException {
    return pods().stream()
        .map(pod ->
            DynamicTest.dynamicTest(
                name(pod),
                () -> {
                  Path golden = RESOURCES.resolve("golden/fill").resolve(name(pod) + ".txt");
                  String answers = answers(pod);
                  if (UPDATE) {
                    Files.createDirectories(golden.getParent());
                    Files.writeString(golden, answers);
                  }
                  assertThat(answers).isEqualTo(Files.readString(golden));
                }));
  }

  @Test
  void everyGoldenHasItsPod() throws IOException {
    try (Stream<Path> goldens = Files.list(RESOURCES.resolve("golden/fill"))) {
      assertThat(goldens.map(golden -> golden.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              pods().stream().map(pod -> name(pod) + ".txt").toList());
    }
  }

  private static List<Path> pods() throws IOException {
    try (Stream<Path> files = Files.list(RESOURCES.resolve("fill"))) {
      return files.sorted().toList();
    }
  }

  private static String name(Path pod) {
    return pod.getFileName().toString().replace(".json", "");
  }

  private static String answers(Path file) throws IOException {
    JsonNode pod = Bench.json(Files.readAllBytes(file));
    GpuDialect own =
        GpuDialect.valueOf(name(file).replaceFirst("-.*", "").toUpperCase(Locale.ROOT));
    StringBuilder text = new StringBuilder();
    for (Mode mode : List.of(Mode.WARN, Mode.FILL, Mode.CAP)) {
      Policy policy =
          Policy.DEFAULT
              .with(copy -> copy.mode = mode)
              .with(copy -> copy.filling = new Filling(own, 2, Filling.Scope.PODS));
      Bench bench = new Bench(TestClusters.empty(), policy);
      JsonNode response = bench.mutate(PodReviews.creating(pod));
      text.append("in mode ").append(mode.name().toLowerCase(Locale.ROOT)).append(":\n");
      bench.fills.forEach(report -> text.append("  ").append(report.outcome()).append('\n'));
      Bench.patch(response).forEach(line -> text.append("  - ").append(line).append('\n'));
      response.path("warnings").forEach(line -> text.append("  ! ").append(line).append('\n'));
    }
    return text.toString();
  }
}

package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Reviews against golden files that a person can read: what is answered in mode Immediate on an
 * empty cluster and on a full one ({@link TestClusters}), then in the other modes on the full one,
 * with the numbers of {@link FakePredictor}.
 *
 * <p>{@code mvn test -pl admission -am -Dcotenant.golden.update=true} writes the files anew; read
 * the difference before committing it. Reviews recorded from a real API server are outside data,
 * their goldens are in {@code golden/recorded}; our own small ones run everywhere.
 */
class GoldenReviewTest {
  private static final Path RESOURCES =
      Path.of(System.getProperty("basedir", "."), "src/test/resources");
  private static final boolean UPDATE = Boolean.getBoolean("cotenant.golden.update");

  @TestFactory
  Stream<DynamicTest> answersOwnReviewsAsTheirGoldensSay() throws IOException {
    return reviews(RESOURCES.resolve("reviews")).stream()
        .map(review -> golden(review, RESOURCES.resolve("golden/own")));
  }

  @TestFactory
  Stream<DynamicTest> answersRecordedReviewsAsTheirGoldensSay() throws IOException {
    return reviews(OutsideData.require("admission-reviews")).stream()
        .map(review -> golden(review, RESOURCES.resolve("golden/recorded")));
  }

  @Test
  void everyGoldenOfAnOwnReviewHasItsReview() throws IOException {
    assertGoldensOf(RESOURCES.resolve("reviews"), RESOURCES.resolve("golden/own"));
  }

  @Test
  void everyGoldenOfARecordedReviewHasItsReview() throws IOException {
    assertGoldensOf(OutsideData.require("admission-reviews"), RESOURCES.resolve("golden/recorded"));
  }

  private static void assertGoldensOf(Path reviews, Path folder) throws IOException {
    List<String> names = reviews(reviews).stream().map(GoldenReviewTest::goldenName).toList();
    try (Stream<Path> goldens = Files.list(folder)) {
      assertThat(goldens.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(names);
    }
  }

  private static DynamicTest golden(Path review, Path folder) {
    Path golden = folder.resolve(goldenName(review));
    return DynamicTest.dynamicTest(
        review.getFileName().toString(),
        () -> {
          String answers = answers(review);
          if (UPDATE) {
            Files.createDirectories(folder);
            Files.writeString(golden, answers);
          }
          assertThat(answers).isEqualTo(Files.readString(golden));
        });
  }

  private static String answers(Path review) throws IOException {
    byte[] body = Files.readAllBytes(review);
    StringBuilder text = new StringBuilder();
    Policy policy = Policy.DEFAULT.with(copy -> copy.trust = new TrustScope("cluster"));
    ClusterSnapshot full = TestClusters.full();
    List<Case> cases =
        List.of(
            new Case(
                "on the empty cluster",
                TestClusters.empty(),
                policy.with(copy -> copy.mode = Mode.IMMEDIATE)),
            new Case("on the full cluster", full, policy.with(copy -> copy.mode = Mode.IMMEDIATE)),
            new Case("in mode off", full, policy.with(copy -> copy.mode = Mode.OFF)),
            new Case("in mode shadow", full, policy.with(copy -> copy.mode = Mode.SHADOW)),
            new Case("in mode warn", full, policy.with(copy -> copy.mode = Mode.WARN)),
            new Case("in mode enforce", full, policy),
            new Case(
                "with visible devices",
                full,
                policy.with(copy -> copy.gpuAssignment = GpuAssignment.VISIBLE_DEVICES)),
            new Case(
                "with a scheduler",
                full,
                policy.with(copy -> copy.schedulerName = "cotenant-scheduler")),
            new Case(
                "with registered models only",
                full,
                policy.with(copy -> copy.unknownModels = UnknownModels.DENY)));
    cases.forEach(at -> text.append(at.name()).append(":\n").append(answer(review, body, at)));
    return text.toString();
  }

  private record Case(String name, ClusterSnapshot cluster, Policy policy) {}

  private static String answer(Path review, byte[] body, Case at) {
    Bench bench = new Bench(at.cluster(), at.policy());
    byte[] answer =
        review.getFileName().toString().contains("validating-")
            ? bench.webhooks.validate(body)
            : bench.webhooks.mutate(body);
    JsonNode response = Bench.response(answer);
    assertThat(response.path("uid")).isEqualTo(Bench.json(body).path("request").path("uid"));
    StringBuilder text = new StringBuilder();
    text.append("  outcome: ").append(bench.outcome().getClass().getSimpleName()).append('\n');
    text.append("  allowed: ").append(response.path("allowed")).append('\n');
    appendStatus(text, response.path("status"));
    appendAll(text, "patch", Bench.patch(response));
    appendAll(text, "warnings", response.path("warnings"));
    if (response.has("auditAnnotations")) {
      text.append("  audit: ").append(response.path("auditAnnotations")).append('\n');
    }
    bench.decisions.forEach(made ->
        text.append("  decided in mode ")
            .append(made.mode())
            .append(": ")
            .append(made.decision().getClass().getSimpleName())
            .append('\n'));
    bench
        .ledger
        .entries()
        .forEach(entry ->
            text.append("  holds: ")
                .append(entry.capacityRequest().pod())
                .append(" under ")
                .append(entry.capacityRequest().admissionId())
                .append('\n'));
    return text.toString();
  }

  private static void appendStatus(StringBuilder text, JsonNode status) {
    if (status.isObject()) {
      text.append("  status: ").append(status.path("code")).append(' ');
      text.append(status.path("reason").asText()).append('\n');
      status
          .path("message")
          .asText()
          .lines()
          .forEach(line -> text.append("    ").append(line).append('\n'));
    }
  }

  private static void appendAll(StringBuilder text, String name, JsonNode array) {
    if (!array.isEmpty()) {
      text.append("  ").append(name).append(":\n");
      array.forEach(node -> text.append("  - ").append(node).append('\n'));
    }
  }

  private static String goldenName(Path review) {
    return review.getFileName().toString().replace(".json", ".txt");
  }

  /** At least one: a test of no reviews would pass whatever is answered. */
  private static List<Path> reviews(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> reviews =
          files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
      assertThat(reviews).as("reviews in " + folder).isNotEmpty();
      return reviews;
    }
  }
}

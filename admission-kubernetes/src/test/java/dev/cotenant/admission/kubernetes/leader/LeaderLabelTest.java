package dev.cotenant.admission.kubernetes.leader;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaderLabelTest {
  private static final String NAMESPACE = "cotenant-system";

  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private volatile boolean leading = true;
  private final LeaderLabel label = label("cotenant-a");

  private LeaderLabel label(String pod) {
    return new LeaderLabel(
        bench.loopContext(),
        new LeaderLabel.Candidate(NAMESPACE, pod, () -> leading),
        bench.log::add,
        new LeaderLabel.Timing(Duration.ofMillis(50), Duration.ofSeconds(5)));
  }

  @BeforeEach
  void fill() {
    bench.fake.create("pods", NAMESPACE, Manifests.plainPod("cotenant-a"));
    ObjectNode former = Manifests.plainPod("cotenant-b");
    former.withObject("/metadata/labels").put(LeaderLabel.LABEL, "true").put("app", "cotenant");
    bench.fake.create("pods", NAMESPACE, former);
  }

  @AfterEach
  void close() {
    label.close();
    bench.close();
  }

  private boolean isLabelled(String pod) {
    return bench
        .fake
        .find("pods", NAMESPACE, pod)
        .orElseThrow()
        .at("/metadata/labels")
        .path(LeaderLabel.LABEL)
        .asText("")
        .equals("true");
  }

  @Test
  void leadsTheWayToWhoeverLeadsAndToNobodyElse() {
    label.gained(3);
    Eventually.holds("it is labelled", () -> isLabelled("cotenant-a"));
    Eventually.holds("the one before is not", () -> !isLabelled("cotenant-b"));
    assertThat(
            bench
                .fake
                .find("pods", NAMESPACE, "cotenant-b")
                .orElseThrow()
                .at("/metadata/labels/app")
                .asText())
        .as("other labels")
        .isEqualTo("cotenant");

    label.lost();
    Eventually.holds("nobody is", () -> !isLabelled("cotenant-a"));
  }

  @Test
  void whoeverLostTheLeaseWithoutKnowingLeavesTheLabelsOfOthersAlone() {
    leading = false;
    bench.fake.create("pods", NAMESPACE, labelled(Manifests.plainPod("cotenant-c")));
    label.gained(3);
    Eventually.holds(
        "it has looked twice",
        () ->
            bench.fake.requests().stream().filter(one -> one.method().equals("PATCH")).count() > 1);
    assertThat(isLabelled("cotenant-a")).isFalse();
    assertThat(isLabelled("cotenant-b")).isTrue();
    assertThat(isLabelled("cotenant-c")).isTrue();
  }

  @Test
  void restoresTheLabelThatSomebodyTookOff() {
    label.gained(3);
    Eventually.holds("it is labelled", () -> isLabelled("cotenant-a"));
    bench.fake.replace(
        "pods",
        bench.fake.find("pods", NAMESPACE, "cotenant-a").map(this::unlabelled).orElseThrow());
    Eventually.holds("it is labelled again", () -> isLabelled("cotenant-a"));
    assertThat(bench.log).isEmpty();
  }

  @Test
  void saysOnceThatThereIsNoPodOfItsName() {
    try (LeaderLabel nobody = label("node-7")) {
      nobody.gained(3);
      Eventually.holds("it is said", () -> !bench.log.isEmpty());
    }
    assertThat(bench.log).singleElement().asString().contains("The pod node-7 cannot be labelled");
  }

  private ObjectNode labelled(ObjectNode pod) {
    pod.withObject("/metadata/labels").put(LeaderLabel.LABEL, "true");
    return pod;
  }

  private ObjectNode unlabelled(ObjectNode pod) {
    pod.withObject("/metadata/labels").remove(LeaderLabel.LABEL);
    return pod;
  }

  @Test
  void takesTheLabelOffWhenItEnds() {
    label.gained(3);
    Eventually.holds("it is labelled", () -> isLabelled("cotenant-a"));
    label.close();
    assertThat(isLabelled("cotenant-a")).isFalse();
  }
}

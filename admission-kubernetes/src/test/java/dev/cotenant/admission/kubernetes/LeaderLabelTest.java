package dev.cotenant.admission.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaderLabelTest {
  private static final String NAMESPACE = "cotenant-system";

  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final LeaderLabel label =
      new LeaderLabel(bench.server, NAMESPACE, "cotenant-a", bench.log::add);

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
  void takesTheLabelOffWhenItEnds() {
    label.gained(3);
    Eventually.holds("it is labelled", () -> isLabelled("cotenant-a"));
    label.close();
    assertThat(isLabelled("cotenant-a")).isFalse();
  }
}

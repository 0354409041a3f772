package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Out-of-memory failures that an operator takes back, as those that a pod has stated falsely. */
class ForgottenShortagesTest {
  private final GateBench bench = new GateBench(1, 1, 1);

  private void runsOut(String name, String model) {
    StoredPod pod = bench.hold(name, model, 10);
    bench.start(pod);
    pod.outOfMemory = true;
    bench.change(pod);
  }

  private CompletableFuture<Integer> forget(String namespace, String model) {
    return bench.controller().forgetShortages(namespace, model).orElseThrow();
  }

  private List<String> known() {
    return bench.controller().shortages().orElseThrow().stream()
        .map(shortage -> shortage.workload().model())
        .toList();
  }

  private List<String> noted() {
    return Objects.requireNonNull(bench.replica.notes).shortages().stream()
        .map(MemoryShortage::workload)
        .map(workload -> workload.model())
        .toList();
  }

  @Test
  void areForgottenByThisLeaderAndTheNext() {
    bench.lead();
    runsOut("a", "resnet50");
    runsOut("b", "densenet121");
    assertThat(known()).containsExactlyInAnyOrder("resnet50", "densenet121");

    CompletableFuture<Integer> forgotten = forget("team-a", "resnet50");
    bench.later(Duration.ofSeconds(5));

    assertThat(forgotten).isCompletedWithValue(1);
    assertThat(known()).containsExactly("densenet121");
    assertThat(noted()).containsExactly("densenet121");
  }

  @Test
  void ofAnotherNamespaceStay() {
    bench.lead();
    runsOut("a", "resnet50");

    CompletableFuture<Integer> forgotten = forget("mallory", "resnet50");
    bench.later(Duration.ofSeconds(5));

    assertThat(forgotten).isCompletedWithValue(0);
    assertThat(known()).containsExactly("resnet50");
  }

  @Test
  void areNotReportedAsForgottenBeforeThatIsWritten() {
    bench.lead();
    runsOut("a", "resnet50");
    bench.later(Duration.ofSeconds(5));
    bench.replica.saveFails = true;

    CompletableFuture<Integer> forgotten = forget("team-a", "resnet50");
    bench.later(Duration.ofSeconds(5));
    assertThat(forgotten).isNotDone();

    bench.replica.saveFails = false;
    bench.later(Duration.ofSeconds(5));
    assertThat(forgotten).isCompletedWithValue(1);
  }

  @Test
  void areTheLeadersAlone() {
    assertThat(bench.controller().shortages()).isEmpty();
    assertThat(bench.controller().forgetShortages("team-a", null)).isEmpty();
  }
}

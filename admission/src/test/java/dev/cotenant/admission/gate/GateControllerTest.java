package dev.cotenant.admission.gate;

import static dev.cotenant.admission.gate.TestPolicies.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Lives of pods. On an A100 {@code resnet50} at batch 10 keeps the GPU busy for at most 40 + 10/10
 * + 10 = 51 % and takes at most 2 + 10/16 + 1 = 3.625 GiB; {@code densenet121} at batch 1 at most
 * 35 + 0.1 + 10 = 45.1 %; {@code vgg19} at batch 10 at most 71 %.
 */
class GateControllerTest {
  private final GateBench bench = new GateBench(1, 1);

  @Test
  void letsAPodGoWithOnePatchThatWritesDownItsGrant() {
    bench.lead();

    StoredPod pod = bench.hold("train", "resnet50", 10);

    assertThat(pod.gates).isEmpty();
    assertThat(pod.nodeSelector).isEqualTo(Map.of("kubernetes.io/hostname", "n1"));
    assertThat(pod.annotations)
        .containsEntry(CotenantAnnotations.DECISION, "Admitted")
        .containsEntry(CotenantAnnotations.ASSIGNED_NODE, "n1")
        .containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a")
        .containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "51.0")
        .containsEntry(CotenantAnnotations.PREDICTED_MEMORY, "3712Mi")
        .containsEntry(CotenantAnnotations.GRANTED_AT, "2026-11-21T12:00:00Z")
        .containsEntry("nvidia.com/use-gpuuuid", "GPU-1a");
    assertThat(pod.version).as("the creation and one patch").isEqualTo(2);
    assertThat(bench.events()).containsExactly("Granted");
    assertThat(bench.state(pod)).isEqualTo(GrantState.BOUND);
  }

  @Test
  void holdsWhatFitsNowhereAndLetsItGoWhenCapacityIsFree() {
    bench.lead();
    StoredPod first = bench.hold("a", "vgg19", 10);
    bench.hold("b", "vgg19", 10);

    StoredPod third = bench.hold("c", "resnet50", 10);

    // 71 + 51 = 122 > 100 on both GPUs.
    assertThat(third.gates).containsExactly(WatchedPod.GATE);
    assertThat(bench.codes(third)).contains("UtilizationExceeded");
    assertThat(third.annotations.get(CotenantAnnotations.DECISION)).isEqualTo("Held");
    assertThat(third.annotations.get(CotenantAnnotations.REASON))
        .contains("2x UtilizationExceeded");

    bench.remove(first);

    assertThat(GateBench.gpu(third)).isEqualTo("GPU-1a");
  }

  @Test
  void tellsAReasonOnceAndAgainOnlyWhenItChanges() {
    bench.lead();
    StoredPod whole = bench.hold("whole", null, 1);
    bench.hold("other", null, 1);
    StoredPod waits = bench.hold("waits", "resnet50", 10);
    assertThat(bench.events()).containsExactly("Granted", "Granted", "Held");
    long version = waits.version;

    for (int i = 0; i < 10; i++) {
      bench.later(Duration.ofSeconds(20));
    }
    assertThat(bench.events()).containsExactly("Granted", "Granted", "Held");
    assertThat(waits.version).isEqualTo(version);

    bench.policy = bench.policy.with(copy -> copy.queue = queue(0, Policy.Fallback.HOLD));
    bench.remove(whole);
    assertThat(bench.events()).containsExactly("Granted", "Granted", "Held", "Granted");
  }

  @Test
  void countsATenantByItsPredictionUntilItsContainersHaveRunForAWindow() {
    bench.lead();
    StoredPod pod = bench.hold("train", "resnet50", 10);
    assertThat(tenant("GPU-1a").since()).isEqualTo(Instant.MAX);

    bench.later(Duration.ofHours(1));
    bench.start(pod);

    assertThat(tenant("GPU-1a").since()).isEqualTo(bench.now);
    assertThat(bench.state(pod)).isEqualTo(GrantState.OBSERVED);
  }

  private Tenant tenant(String gpu) {
    Tenancy.Shared shared =
        (Tenancy.Shared) bench.controller().view().cluster().find(gpu).orElseThrow().tenancy();
    return shared.tenants().getFirst();
  }

  @Test
  void keepsTheCapacityOfAPodThatIsBeingDeletedUntilItIsGone() {
    bench.lead();
    StoredPod first = bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", null, 1);
    bench.start(first);

    first.terminating = true;
    bench.change(first);
    assertThat(GateBench.gpu(waits)).isNull();

    bench.remove(first);
    assertThat(GateBench.gpu(waits)).isEqualTo("GPU-1a");
  }

  @Test
  void givesCapacityBackWhenAPodHasFinished() {
    bench.lead();
    StoredPod first = bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", null, 1);
    bench.start(first);

    first.phase = WatchedPod.Phase.SUCCEEDED;
    bench.change(first);

    assertThat(GateBench.gpu(waits)).isEqualTo("GPU-1a");
  }

  @Test
  void showsPodsThatCompletedAndNoneThatFailed() {
    bench.lead();
    StoredPod completes = bench.hold("a", "resnet50", 1);
    StoredPod fails = bench.hold("b", "resnet50", 1);
    bench.start(completes);
    bench.start(fails);
    assertThat(bench.controller().view().completed()).isEmpty();

    completes.phase = WatchedPod.Phase.SUCCEEDED;
    bench.change(completes);
    fails.phase = WatchedPod.Phase.FAILED;
    bench.change(fails);

    assertThat(bench.controller().view().completed())
        .extracting(pod -> pod.pod().name())
        .containsExactly("a");
  }

  @Test
  void grantsNothingWhileSomebodyElseHoldsAPod() {
    bench.lead();
    StoredPod pod = bench.pod("train", "resnet50", 10, 1);
    pod.gates.add("kueue.x-k8s.io/admission");
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();

    assertThat(bench.controller().view().granted()).isEmpty();
    assertThat(bench.controller().view().waiting(pod.identity)).isPresent();

    pod.gates.removeFirst();
    bench.change(pod);
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
  }

  @Test
  void rebuildsItsBooksFromAnnotations() {
    bench.lead();
    StoredPod share = bench.hold("share", "resnet50", 10);
    StoredPod whole = bench.hold("whole", null, 1);
    bench.start(share);

    bench.lead();

    assertThat(bench.state(share)).isEqualTo(GrantState.OBSERVED);
    assertThat(bench.state(whole)).isEqualTo(GrantState.BOUND);
    Tenant tenant = tenant("GPU-1a");
    assertThat(tenant.utilization().upper().percent()).isEqualTo(51);
    assertThat(tenant.utilization().mean().percent()).isEqualTo(41);
    assertThat(tenant.peakMemory().upper().toMiB()).isEqualTo(3712);
    assertThat(tenant.slowdownLimit().ratio()).isEqualTo(1.15);
    assertThat(bench.controller().view().cluster().find("GPU-2a").orElseThrow().tenancy())
        .isEqualTo(new Tenancy.Exclusive("team-a/whole"));
  }

  @Test
  void makesSureOfHeldPodsBeforeItGrantsAnythingInANewTerm() {
    StoredPod pod = bench.pod("train", "resnet50", 10, 1);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);

    bench.lead();

    assertThat(pod.annotations.get(CotenantAnnotations.TERM)).isEqualTo("1@1");
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
    assertThat(pod.version).as("creation, fence, grant").isEqualTo(3);
  }

  @Test
  void countsForgedAnnotationsAsAnUnknownUserAndSaysSo() {
    StoredPod forged = bench.pod("forged", "resnet50", 10, 1);
    forged.annotations.put(CotenantAnnotations.DECISION, "Admitted");
    forged.annotations.put(CotenantAnnotations.ASSIGNED_NODE, "n1");
    forged.annotations.put(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a");
    forged.annotations.put(CotenantAnnotations.PREDICTED_UTILIZATION, "NaN");
    forged.annotations.put(CotenantAnnotations.PREDICTED_MEMORY, "-1Mi");
    forged.node = "n1";
    bench.server.create(forged);

    bench.lead();

    assertThat(bench.log)
        .containsExactly(
            "distrusted team-a/forged: the predicted utilization or memory cannot be read");
    assertThat(bench.events()).containsExactly("GrantUnreadable");
    assertThat(bench.controller().view().cluster().find("GPU-1a").orElseThrow().tenancy())
        .isEqualTo(new Tenancy.Exclusive("team-a/forged"));
  }

  @Test
  void reportsGrantsThatClaimTooMuchAndGrantsNothingThere() {
    for (String name : List.of("one", "two")) {
      StoredPod pod = bench.pod(name, "vgg19", 10, 1);
      pod.annotations.put(CotenantAnnotations.DECISION, "Admitted");
      pod.annotations.put(CotenantAnnotations.ASSIGNED_NODE, "n1");
      pod.annotations.put(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a");
      pod.annotations.put(CotenantAnnotations.PREDICTED_UTILIZATION, "71.0");
      pod.annotations.put(CotenantAnnotations.PREDICTED_MEMORY, "3712Mi");
      pod.node = "n1";
      bench.server.create(pod);
    }
    bench.lead();

    StoredPod next = bench.hold("next", "densenet121", 1);

    assertThat(bench.controller().view().health().overcommitted()).isEqualTo(1);
    assertThat(bench.events()).contains("Overcommitted");
    assertThat(GateBench.gpu(next)).isEqualTo("GPU-2a");
  }

  @Test
  void reportsCapacityThatNobodyComesToTakeAndKeepsIt() {
    bench.lead();
    StoredPod pod = bench.hold("train", "resnet50", 10);

    bench.later(Duration.ofMinutes(6));
    bench.later(Duration.ofMinutes(1));

    assertThat(bench.log).containsExactly("leaked team-a/train 360");
    assertThat(bench.controller().view().health().leaked()).isEqualTo(1);
    assertThat(bench.state(pod)).isEqualTo(GrantState.BOUND);
  }

  @Test
  void countsPodsThatNoWebhookHasSeen() {
    bench.lead();
    StoredPod missed = bench.pod("missed", "resnet50", 10, 1);
    missed.annotations.clear();
    missed.node = "n1";
    bench.server.create(missed);
    bench.settle();

    assertThat(bench.controller().reconcile().unmanaged()).isEqualTo(1);
    assertThat(bench.controller().view().cluster().find("GPU-1a").orElseThrow().tenancy())
        .isEqualTo(new Tenancy.Exclusive("team-a/missed"));
  }

  @Test
  void dropsMessagesOfAnEndedTerm() {
    bench.lead();
    StoredPod pod = bench.pod("late", "resnet50", 10, 1);
    pod.gates.add(WatchedPod.GATE);

    bench.controller().podSeen(7, pod.watched());
    bench.controller().end(7);
    bench.controller().runCycle();

    assertThat(bench.controller().view().queue()).isEmpty();
    assertThat(bench.controller().view().term()).isEqualTo(1);
    bench.controller().end(1);
    assertThat(bench.controller().view()).isEqualTo(GateView.NOT_LEADING);
  }
}

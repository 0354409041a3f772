package dev.cotenant.admission.gate;

import static dev.cotenant.admission.gate.TestPolicies.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Who is next, who is passed, and what becomes of those that wait too long. On an A100 {@code
 * resnet50} at batch 10 keeps the GPU busy for at most 40 + 10/10 + 10 = 51 %, {@code densenet121}
 * at batch 1 for at most 35 + 0.1 + 10 = 45.1 %, {@code vgg19} at batch 10 for at most 71 %.
 */
class WaitingPodsTest {
  private final GateBench bench = new GateBench(1, 1);

  @Test
  void asksForAWholeGpuAsWellAfterWaitingTooLong() {
    bench.policy = bench.policy.with(copy -> copy.queue = queue(20, Policy.Fallback.EXCLUSIVE));
    bench.lead();
    StoredPod first = bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", "resnet50", 10);
    assertThat(bench.codes(waits)).containsExactly("ExclusiveRequested");

    bench.later(Duration.ofMinutes(10));
    assertThat(bench.codes(waits)).contains("WaitTimeout");

    bench.blind.add("GPU-1a");
    bench.measure();
    bench.remove(first);
    assertThat(bench.codes(waits)).contains("MetricsStale", "WaitTimeout");
  }

  @Test
  void saysAsOfWhenTheReasonsOfAStandingRefusalAre() {
    bench.lead();
    bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", "resnet50", 10);
    GateView before = bench.controller().view();
    Instant decided = before.waiting(waits.identity).orElseThrow().decidedAt();
    assertThat(decided).isNotNull().isBeforeOrEqualTo(before.at());

    bench.now = bench.now.plus(Duration.ofMinutes(3));
    bench.settle();
    GateView after = bench.controller().view();
    assertThat(after.at()).isAfter(before.at());
    assertThat(after.waiting(waits.identity).orElseThrow().decidedAt()).isEqualTo(decided);

    bench.measure();
    assertThat(bench.controller().view().waiting(waits.identity).orElseThrow().decidedAt())
        .isEqualTo(bench.now);
  }

  @Test
  void letsAPodGoUnmanagedAfterWaitingTooLong() {
    bench.policy = bench.policy.with(copy -> copy.queue = queue(20, Policy.Fallback.UNMANAGED));
    bench.lead();
    bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", "resnet50", 10);

    bench.later(Duration.ofMinutes(10));

    assertThat(waits.gates).isEmpty();
    assertThat(waits.annotations)
        .containsEntry(CotenantAnnotations.DECISION, "Unmanaged")
        .containsEntry(CotenantAnnotations.REASON, "WaitTimeout: waited 600 s, limit 600 s");
    assertThat(waits.nodeSelector).isEmpty();
  }

  @Test
  void letsPodsGoThatAreNotToBeHeldAnyMore() {
    bench.lead();
    bench.hold("a", null, 1);
    bench.hold("b", null, 1);
    StoredPod waits = bench.hold("c", null, 1);

    bench.optedOut.add("team-a");
    bench.controller().policiesChanged();
    bench.settle();

    assertThat(waits.gates).isEmpty();
    assertThat(waits.annotations).containsEntry(CotenantAnnotations.DECISION, "Unmanaged");
  }

  @Test
  void keepsCapacityForAPodThatWasPassedTooOften() {
    bench.policy = bench.policy.with(copy -> copy.queue = queue(1, Policy.Fallback.HOLD));
    GateBench one = new GateBench(1);
    one.policy = bench.policy;
    one.lead();
    StoredPod first = one.hold("first", "densenet121", 1); // 45.1 %
    StoredPod big = one.hold("big", "vgg19", 10); // 71 %: waits
    StoredPod small = one.hold("small", "densenet121", 1); // 90.2 % in all: passes big once
    assertThat(GateBench.gpu(small)).isEqualTo("GPU-1a");
    one.remove(first);

    StoredPod next = one.hold("next", "densenet121", 1); // would fit again

    assertThat(GateBench.gpu(next)).isNull();
    assertThat(one.reasons(next)).containsExactly(new Reason.QueuedBehind("team-a/big", 1));
    one.remove(small);
    assertThat(GateBench.gpu(big)).isEqualTo("GPU-1a");
  }

  /* Nothing passes big: 45.1 + 45.1 % would fit, and with 71 % it waits. */
  @Test
  void keepsCapacityForAPodWhileItIsToldWhyItWaits() {
    GateBench one = new GateBench(1);
    one.policy = one.policy.with(copy -> copy.queue = queue(0, Policy.Fallback.HOLD));
    one.lead();
    one.hold("first", "densenet121", 1);
    StoredPod big = arrive(one, "big", "vgg19", 10);
    assertThat(one.replica.flights).as("its reason, on its way").hasSize(1);

    arrive(one, "early", "densenet121", 1);
    Replica.Flight reason = one.replica.flights.removeFirst();
    assertThat(reason.pod().uid()).isEqualTo(big.uid);
    reason.done.accept(reason.write.get());
    one.replica.news.clear(); // of which nothing is shown
    one.replica.runInbox();
    arrive(one, "late", "densenet121", 1);

    assertThat(one.controller().view().granted()).hasSize(1);
    assertThat(one.controller().view().queue())
        .filteredOn(waiting -> !waiting.pod().uid().equals(big.uid))
        .hasSize(2)
        .allSatisfy(waiting ->
            assertThat(waiting.decision())
                .isEqualTo(new Decision.Held(List.of(new Reason.QueuedBehind("team-a/big", 0)))));
  }

  /** A held pod is seen and decided on; what is written then does not arrive yet. */
  private static StoredPod arrive(GateBench bench, String name, String model, int batch) {
    StoredPod pod = bench.pod(name, model, batch, 1);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    var news = List.copyOf(bench.replica.news);
    bench.replica.news.clear();
    news.forEach(one -> one.accept(bench.controller()));
    bench.controller().runCycle();
    return pod;
  }

  @Test
  void servesHigherPriorityFirstAndTheLongestWaitingAmongEquals() {
    GateBench one = new GateBench(1);
    one.lead();
    StoredPod runs = one.hold("runs", null, 1);
    StoredPod low = one.hold("low", null, 1);
    one.later(Duration.ofSeconds(30));
    StoredPod equal = one.hold("equal", null, 1);
    StoredPod high = one.pod("high", null, 1, 1);
    high.priority = 1000;
    high.gates.add(WatchedPod.GATE);
    one.server.create(high);
    one.settle();

    assertThat(one.controller().view().queue().stream().map(w -> w.pod().pod().name()))
        .containsExactly("high", "low", "equal");
    one.remove(runs);
    assertThat(GateBench.gpu(high)).isEqualTo("GPU-1a");
    one.remove(high);
    assertThat(GateBench.gpu(low)).isEqualTo("GPU-1a");
    one.remove(low);
    assertThat(GateBench.gpu(equal)).isEqualTo("GPU-1a");
  }

  @Test
  void agesPodsPastHigherPriorities() {
    GateBench one = new GateBench(1);
    one.policy = one.policy.with(copy -> copy.queue = queue(20, Policy.Fallback.HOLD));
    one.lead();
    StoredPod runs = one.hold("runs", null, 1);
    StoredPod old = one.hold("old", null, 1);
    one.later(Duration.ofMinutes(3)); // 3 steps of 100
    StoredPod high = one.pod("high", null, 1, 1);
    high.priority = 250;
    high.gates.add(WatchedPod.GATE);
    one.server.create(high);
    one.settle();

    one.remove(runs);

    assertThat(GateBench.gpu(old)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(high)).isNull();
  }
}

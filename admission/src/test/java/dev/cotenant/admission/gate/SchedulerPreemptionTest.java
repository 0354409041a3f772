package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Preemption for pods whose scheduler chooses the node through the extender. */
class SchedulerPreemptionTest {
  private final GateBench bench = new GateBench(1, 1);

  @BeforeEach
  void lead() {
    bench.policy = TestPolicies.placedBy(FakeScheduler.NAME);
    bench.lead();
  }

  private StoredPod pod(String name, @Nullable String model, int priority) {
    StoredPod pod = bench.pod(name, model, model == null ? 1 : 10, 1);
    pod.priority = priority;
    pod.schedulerName = FakeScheduler.NAME;
    return pod;
  }

  private StoredPod gated(String name, @Nullable String model, int priority) {
    StoredPod pod = pod(name, model, priority);
    pod.gates.add(WatchedPod.GATE);
    return created(pod);
  }

  private StoredPod created(StoredPod pod) {
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private StoredPod bound(StoredPod pod, String node) {
    assertThat(bind(pod, node)).isEmpty();
    return pod;
  }

  private Optional<String> bind(StoredPod pod, String node) {
    var outcome = bench.controller().bind(pod.identity, pod.uid, node).orElseThrow();
    bench.settle();
    return outcome.join();
  }

  private Set<String> fitsWithout(StoredPod pod, Map<String, Set<String>> victims) {
    return bench.controller().fitsWithout(pod.uid, victims).orElseThrow();
  }

  @Test
  void fitsOnlyWhereVictimsLeave() {
    StoredPod first = bound(gated("first", null, 0), "n1");
    bound(gated("second", null, 0), "n2");
    StoredPod urgent = created(pod("urgent", null, 0));

    assertThat(fitsWithout(urgent, Map.of("n1", Set.of(first.uid), "n2", Set.of())))
        .containsExactly("n1");
  }

  /** The measurements of its GPU still have what the victim uses. */
  @Test
  void fitsInPlaceOfARunningPodWhoseUseIsMeasured() {
    StoredPod low = bound(gated("low", "vgg19", 0), "n1");
    bench.start(low);
    bench.later(Duration.ofMinutes(2));
    bound(gated("other", null, 0), "n2");
    StoredPod urgent = created(pod("urgent", null, 0));

    assertThat(fitsWithout(urgent, Map.of("n1", Set.of(low.uid)))).containsExactly("n1");
    assertThat(fitsWithout(urgent, Map.of("n1", Set.of()))).isEmpty();
  }

  @Test
  void capacityOfEvictedPodsIsThePreemptors() {
    bench.policy = bench.policy.with(copy -> copy.preemption = Policy.Preemption.EVICT);
    bench.lead();
    bench.later(Duration.ofMinutes(2));
    StoredPod low = bound(gated("low", null, 0), "n1");
    bound(gated("other", null, 0), "n2");
    StoredPod high = gated("high", null, 1000);
    bench.remove(low);
    bench.measure();
    assertThat(high.gates).isEmpty();
    StoredPod mid = created(pod("mid", null, 500));

    assertThat(bind(mid, "n1"))
        .contains("pods of lower priority were preempted there for another pod");
    bound(high, "n1");
  }
}

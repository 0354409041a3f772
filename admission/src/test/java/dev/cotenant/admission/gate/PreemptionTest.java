package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.policy.Policy.Preemption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Preemption by the gate. Upper bounds on an A100: {@code vgg19} at batch 10 71 %, {@code resnet50}
 * at batch 10 51 %, {@code densenet121} at batch 1 45.1 %.
 */
class PreemptionTest {
  private final GateBench bench = new GateBench(1);
  private final List<String> evicted = new ArrayList<>();

  private void lead(GateBench bench, Preemption preemption) {
    bench.policy = bench.policy.with(copy -> copy.preemption = preemption);
    bench.server.evicted = pod -> evicted.add(String.valueOf(pod.identity.name()));
    bench.lead();
    bench.later(Duration.ofMinutes(2));
  }

  private static StoredPod hold(
      GateBench bench, String name, @Nullable String model, int priority) {
    StoredPod pod = bench.pod(name, model, model != null && model.startsWith("dense") ? 1 : 10, 1);
    pod.priority = priority;
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private static StoredPod running(GateBench bench, String name, String model, int priority) {
    StoredPod pod = hold(bench, name, model, priority);
    bench.start(pod);
    return pod;
  }

  @Test
  void evictsARunningPodOfLowerPriorityAndGrantsItsCapacity() {
    lead(bench, Preemption.EVICT);
    StoredPod low = running(bench, "low", "vgg19", 0);
    bench.later(Duration.ofMinutes(2));

    StoredPod high = hold(bench, "high", "vgg19", 1000);

    assertThat(evicted).containsExactly("low");
    assertThat(high.gates).as("its victim terminates").isNotEmpty();
    assertThat(bench.events()).contains("Preempting", "Preempted");
    assertThat(bench.replica.told.stream().map(PodEvent::message))
        .contains(
            "priority 1000 evicts from GPU-1a of n1: team-a/low (priority 0)",
            "evicted with priority 0 for team-a/high of priority 1000, which gets GPU-1a of n1");

    bench.remove(low);
    bench.measure();
    assertThat(GateBench.gpu(high)).isEqualTo("GPU-1a");
    assertThat(bench.state(high)).isEqualTo(GrantState.BOUND);
    assertThat(evicted).as("no pod is evicted twice").containsExactly("low");
  }

  @ParameterizedTest
  @EnumSource(
      value = Preemption.class,
      names = {"NEVER", "NOT_STARTED"})
  void evictsNothingUnlessThePolicyAllowsIt(Preemption preemption) {
    lead(bench, preemption);
    running(bench, "low", "vgg19", 0);

    StoredPod high = hold(bench, "high", "vgg19", 1000);
    bench.later(Duration.ofMinutes(2));

    assertThat(evicted).isEmpty();
    assertThat(high.gates).isNotEmpty();
  }

  @Test
  void evictsNoPodOfEqualPriority() {
    lead(bench, Preemption.EVICT);
    running(bench, "other", "vgg19", 1000);

    hold(bench, "high", "vgg19", 1000);

    assertThat(evicted).isEmpty();
  }

  @Test
  void evictsNothingForAPodThatNeverPreempts() {
    lead(bench, Preemption.EVICT);
    running(bench, "low", "vgg19", 0);
    StoredPod high = bench.pod("high", "vgg19", 10, 1);
    high.priority = 1000;
    high.preempts = false;
    high.gates.add(WatchedPod.GATE);

    bench.server.create(high);
    bench.settle();

    assertThat(evicted).isEmpty();
  }

  @Test
  void evictsNoUnmanagedPod() {
    lead(bench, Preemption.EVICT);
    StoredPod unmanaged = bench.pod("unmanaged", "vgg19", 10, 1);
    unmanaged.node = "n1";
    unmanaged.startedAt = bench.now;
    bench.server.create(unmanaged);
    bench.settle();

    hold(bench, "high", "vgg19", 1000);

    assertThat(evicted).isEmpty();
  }

  @Test
  void evictsTheLowestPriorityThenTheFewestThenTheYoungest() {
    GateBench three = new GateBench(1, 1, 1);
    lead(three, Preemption.EVICT);
    running(three, "important", "vgg19", 500);
    running(three, "first-of-two", "densenet121", 10);
    StoredPod second = running(three, "second-of-two", "densenet121", 10);
    three.later(Duration.ofMinutes(1));
    running(three, "alone", "vgg19", 10);
    assertThat(GateBench.gpu(second)).as("both share a GPU").isEqualTo("GPU-2a");

    hold(three, "high", "vgg19", 1000);

    assertThat(evicted).containsExactly("alone");
  }

  @Test
  void evictsNoMoreOfAGpuThanNecessary() {
    lead(bench, Preemption.EVICT);
    running(bench, "old", "densenet121", 0);
    bench.later(Duration.ofMinutes(1));
    running(bench, "young", "densenet121", 0);

    hold(bench, "high", "resnet50", 1000);

    assertThat(evicted).containsExactly("young");
  }

  @Test
  void holdsWhatItsVictimsLeave() {
    lead(bench, Preemption.EVICT);
    StoredPod low = running(bench, "low", "resnet50", 0);
    StoredPod high = hold(bench, "high", "vgg19", 1000);

    StoredPod small = hold(bench, "small", "densenet121", 0);
    assertThat(small.gates).as("45.1 % fit beside the victim, not beside both").isNotEmpty();

    bench.server.remove(low);
    bench.settle();
    bench.measure();
    assertThat(GateBench.gpu(high)).isEqualTo("GPU-1a");
    assertThat(small.gates).isNotEmpty();
  }

  @Test
  void givesUpItsHoldAfterFiveMinutes() {
    lead(bench, Preemption.EVICT);
    running(bench, "low", "resnet50", 0);
    hold(bench, "high", "vgg19", 1000);
    StoredPod small = hold(bench, "small", "densenet121", 0);

    bench.later(Duration.ofMinutes(6));

    assertThat(GateBench.gpu(small)).isEqualTo("GPU-1a");
    assertThat(evicted).containsExactly("low");
  }

  @Test
  void takesAnotherSetWhereABudgetProtectsAPod() {
    GateBench two = new GateBench(1, 1);
    lead(two, Preemption.EVICT);
    running(two, "old", "vgg19", 0);
    two.later(Duration.ofMinutes(1));
    running(two, "young", "vgg19", 0);
    two.server.budgets = pod -> pod.identity.toString().equals("team-a/young");

    hold(two, "high", "vgg19", 1000);

    assertThat(evicted).containsExactly("old");
    assertThat(two.events()).contains("PreemptionBlocked");
  }

  @Test
  void waitsWhileABudgetProtectsItsOnlyVictim() {
    lead(bench, Preemption.EVICT);
    running(bench, "low", "vgg19", 0);
    bench.server.budgets = _ -> true;
    StoredPod high = hold(bench, "high", "vgg19", 1000);
    assertThat(evicted).isEmpty();
    assertThat(bench.codes(high)).contains("UtilizationExceeded");

    bench.server.budgets = _ -> false;
    bench.later(Duration.ofMinutes(1));

    assertThat(evicted).containsExactly("low");
  }

  @Test
  void aNewLeaderWaitsForVictimsOfTheLast() {
    GateBench two = new GateBench(1, 1);
    lead(two, Preemption.EVICT);
    running(two, "old", "vgg19", 0);
    two.later(Duration.ofMinutes(1));
    StoredPod young = running(two, "young", "vgg19", 0);
    StoredPod high = hold(two, "high", "vgg19", 1000);
    assertThat(evicted).containsExactly("young");

    two.lead();
    two.later(Duration.ofMinutes(2));
    assertThat(evicted).containsExactly("young");

    two.remove(young);
    two.measure();
    assertThat(GateBench.gpu(high)).isEqualTo("GPU-2a");
  }

  @Test
  void aNewLeaderEvictsNothingWhileEvictionsOfTheLastMayArrive() {
    lead(bench, Preemption.EVICT);
    running(bench, "low", "vgg19", 0);
    bench.lead();

    hold(bench, "high", "vgg19", 1000);
    assertThat(evicted).isEmpty();

    bench.later(Duration.ofSeconds(61));
    assertThat(evicted).containsExactly("low");
  }

  @Test
  void endsANominationOfLowerPriorityWithoutAnEviction() {
    bench.policy = TestPolicies.placedBy("s");
    lead(bench, Preemption.NOT_STARTED);
    StoredPod low = bench.pod("low", "vgg19", 10, 1);
    low.schedulerName = "s";
    low.gates.add(WatchedPod.GATE);
    bench.server.create(low);
    bench.settle();
    assertThat(bench.state(low)).isEqualTo(GrantState.NOMINATED);

    StoredPod high = hold(bench, "high", "vgg19", 1000);

    assertThat(GateBench.gpu(high)).isEqualTo("GPU-1a");
    assertThat(bench.controller().view().granted()).doesNotContainKey(low.identity);
    assertThat(evicted).isEmpty();
    assertThat(bench.events()).contains("Preempted");
  }
}

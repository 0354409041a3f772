package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Measured slowdown is acted on once, and by later leaders not again. */
class GuardingTest {
  private final GateBench bench = new GateBench(1);
  private final List<String> evicted = new ArrayList<>();

  private void lead(Mode mode) {
    bench.policy =
        bench.policy.with(copy ->
            copy.measuring =
                new Measuring(
                    Measuring.Profiling.OFF,
                    Duration.ofMinutes(5),
                    new GuardRules(mode, Duration.ofMinutes(5), 4),
                    null));
    bench.server.evicted = pod -> evicted.add(String.valueOf(pod.identity.name()));
    bench.lead();
  }

  private StoredPod running(String name, String model) {
    StoredPod pod = bench.pod(name, model, 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.annotations.put(CotenantAnnotations.ON_SLOWDOWN, "evict");
    pod.owner = "Job/" + name;
    bench.server.create(pod);
    bench.settle();
    bench.start(pod);
    bench.later(Duration.ofMinutes(2));
    return pod;
  }

  private void slowed(StoredPod pod, double value, int minutes) {
    for (int i = 0; i <= minutes; i++) {
      bench
          .controller()
          .measured(List.of(new Sample(pod.uid, Signal.SLOWDOWN, value, 1.15, 0.05, bench.now)));
      bench.settle();
      bench.later(Duration.ofMinutes(1));
    }
  }

  private List<String> messages(String reason) {
    return bench.replica.told.stream()
        .filter(event -> event.reason().equals(reason))
        .map(PodEvent::message)
        .toList();
  }

  @Test
  void evictsTheNewcomerOnceAndKeepsThePairApart() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    StoredPod newcomer = running("new", "resnet50");
    assertThat(GateBench.gpu(newcomer)).isEqualTo(GateBench.gpu(old));

    slowed(old, 1.6, 8);

    assertThat(evicted).containsExactly("new");
    assertThat(messages("ObjectiveViolated"))
        .containsExactly(
            "slowdown 1.60, limit 1.15 on GPU-1a; most recently granted pod: team-a/new:"
                + " the GPU takes no further pods, the pair has anti-affinity, and that pod is"
                + " evicted");
    assertThat(messages("Moved")).hasSize(1);
    bench.remove(newcomer);
    StoredPod again = bench.hold("again", "resnet50", 1);
    assertThat(bench.codes(again)).contains("PairAvoided");
    StoredPod other = bench.hold("other", "densenet121", 1);
    assertThat(GateBench.gpu(other)).as("the GPU is open to others").isEqualTo("GPU-1a");
  }

  @Test
  void aLaterLeaderForgetsNothingAndRepeatsNothing() {
    lead(Mode.ACT);
    bench.server.budgets = pod -> true;
    StoredPod old = running("old", "densenet121");
    StoredPod newcomer = running("new", "resnet50");
    slowed(old, 1.6, 6);
    assertThat(evicted).as("protected by a PodDisruptionBudget").isEmpty();
    assertThat(messages("NotMoved")).as("reported once").hasSize(1);

    bench.lead();
    assertThat(tenantClosedSince()).isNotNull();
    StoredPod waiting = bench.hold("waiting", "densenet121", 2);
    assertThat(bench.reasons(waiting)).hasAtLeastOneElementOfType(Reason.GpuGuarded.class);
    bench.server.budgets = pod -> false;
    slowed(old, 1.6, 10);

    assertThat(evicted).containsExactly("new");
    bench.remove(newcomer);
    bench.lead();
    assertThat(bench.codes(bench.hold("again", "resnet50", 1))).contains("PairAvoided");
    assertThat(bench.replica.told.stream().map(PodEvent::reason))
        .doesNotContain("ObjectiveViolated");
  }

  private @Nullable Instant tenantClosedSince() {
    return ((Tenancy.Shared)
            bench.controller().cluster().orElseThrow().find("GPU-1a").orElseThrow().tenancy())
        .tenants()
        .getFirst()
        .guardedSince();
  }

  @Test
  void observingReportsAlone() {
    lead(Mode.OBSERVE);
    StoredPod old = running("old", "densenet121");
    running("new", "resnet50");
    slowed(old, 1.6, 10);

    assertThat(messages("ObjectiveViolated")).hasSize(1);
    assertThat(messages("ObjectiveViolated").getFirst()).endsWith("the policy only reports");
    assertThat(evicted).isEmpty();
    assertThat(tenantClosedSince()).isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = Policy.Mode.class,
      names = {"OFF", "SHADOW", "WARN", "IMMEDIATE"})
  void actsInModeEnforceAlone(Policy.Mode mode) {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    running("new", "resnet50");
    bench.policy = bench.policy.with(copy -> copy.mode = mode);
    slowed(old, 1.6, 8);

    assertReportedAlone(mode == Policy.Mode.OFF ? 0 : 1);
  }

  private void assertReportedAlone(int events) {
    assertThat(evicted).isEmpty();
    assertThat(tenantClosedSince()).isNull();
    assertThat(messages("ObjectiveViolated"))
        .hasSize(events)
        .allSatisfy(message -> assertThat(message).endsWith("the policy only reports"));
  }

  @Test
  void actsInNamespacesThatAreOptedInAlone() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    running("new", "resnet50");
    bench.optedOut.add(old.identity.namespace());
    slowed(old, 1.6, 8);

    assertReportedAlone(1);
  }

  @Test
  void aVictimThatRestartedStaysAndTheNewcomerGoes() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    running("new", "resnet50");
    bench.start(old);
    bench.later(Duration.ofMinutes(2));
    slowed(old, 1.6, 8);

    assertThat(evicted).containsExactly("new");
    assertThat(messages("ObjectiveViolated").getFirst())
        .contains("most recently granted pod: team-a/new:");
  }

  @Test
  void theMemoryOfAGpuIsThatOfThePodGrantedFirst() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    StoredPod newcomer = running("new", "resnet50");
    bench.start(old);
    newcomer.usesMebibytes = 39 * 1024;
    for (int i = 0; i < 8; i++) {
      bench.later(Duration.ofMinutes(1));
    }

    assertThat(bench.replica.told)
        .filteredOn(event -> event.reason().equals("ObjectiveViolated"))
        .hasSize(1);
    assertThat(evicted).containsExactly("new");
  }

  @Test
  void anEvictionWaitsForALeaderStateThatIsWritten() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    running("new", "resnet50");
    bench.replica.saver = (_, _) -> new LeaderStateStore.Result.Rejected("quota");
    slowed(old, 1.6, 8);
    assertThat(evicted).isEmpty();
    assertThat(bench.log).contains("not written: quota");
    bench.replica.saver = (_, _) -> new LeaderStateStore.Result.Persisted();
    slowed(old, 1.6, 1);

    assertThat(evicted).containsExactly("new");
  }

  @Test
  void opensTheGpuOnceTheLimitIsKept() {
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    StoredPod newcomer = running("new", "resnet50");
    newcomer.annotations.remove(CotenantAnnotations.ON_SLOWDOWN);
    bench.change(newcomer);
    slowed(old, 1.6, 5);
    assertThat(tenantClosedSince()).isNotNull();
    StoredPod waiting = bench.hold("waiting", "densenet121", 2);
    assertThat(bench.codes(waiting)).contains("GpuGuarded");

    slowed(old, 1.0, 6);

    assertThat(tenantClosedSince()).isNull();
    assertThat(evicted).isEmpty();
    assertThat(bench.codes(waiting)).doesNotContain("GpuGuarded");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.004, 0.05})
  void usedMemoryBeyondTheLimitIsAnIncidentWhateverTheHeadroomIs(double headroom) {
    SharingLimits limits = bench.policy.limits().standard().withMemoryHeadroom(headroom);
    bench.policy = bench.policy.with(copy -> copy.limits = DeviceLimits.of(limits));
    lead(Mode.ACT);
    StoredPod old = running("old", "densenet121");
    StoredPod newcomer = running("new", "resnet50");
    old.usesMebibytes = 1024;
    newcomer.usesMebibytes = 30 * 1024;
    for (int i = 0; i < 8; i++) {
      bench.later(Duration.ofMinutes(1));
    }
    assertThat(messages("ObjectiveViolated")).as("within the limit").isEmpty();
    newcomer.usesMebibytes = 39 * 1024;
    for (int i = 0; i < 8; i++) {
      bench.later(Duration.ofMinutes(1));
    }

    assertThat(messages("ObjectiveViolated")).hasSize(1);
    assertThat(messages("ObjectiveViolated").getFirst()).startsWith("its GPU uses 40.0 GiB");
    assertThat(evicted).containsExactly("new");
  }
}

package dev.cotenant.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.service.history.MeasuredHarm.Harm;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasuredHarmTest {
  private static final Instant START = Instant.parse("2026-11-24T10:00:00Z");

  private GateView view = GateView.NOT_LEADING;
  private final MeasuredHarm harm = new MeasuredHarm(() -> view);

  private void grant(String... names) {
    Map<PodIdentity, Holding> byName = new HashMap<>();
    for (String name : names) {
      PodIdentity pod = new PodIdentity("team-a", name, null);
      WatchedPod watched =
          new WatchedPod(
              "uid-" + name,
              "1",
              pod,
              new Colocatable(
                  pod,
                  new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                  new WorkloadAnnotations(
                      null, 16, RunSettings.DEFAULT, null, null, null, null, List.of()),
                  new NodeConstraints(null, List.of())),
              Map.of(),
              new WatchedPod.Scheduling(
                  List.of(),
                  "node",
                  NodeRequirements.NONE,
                  0,
                  false,
                  WatchedPod.Scheduling.DEFAULT_SCHEDULER),
              new WatchedPod.Life(START, START, WatchedPod.Phase.RUNNING, false, false, null),
              true,
              Footprint.NONE);
      byName.put(
          pod,
          new Holding(
              watched,
              GrantState.BOUND,
              new Decision.Admitted(
                  List.of(new Grant("GPU-" + name, "node", null)), new Evidence.Recorded("")),
              null));
    }
    view = new GateView(1, START, List.of(), byName);
  }

  private static Sample sample(String name, Signal signal, double value, double limit, Instant at) {
    return new Sample("uid-" + name, signal, value, limit, 0.03, at);
  }

  @Test
  void hasTheNewestOfEachPodTheWorstFirst() {
    grant("one", "two");
    harm.measured(
        List.of(
            sample("one", Signal.SLOWDOWN, 1.4, 1.15, START),
            sample("one", Signal.SLOWDOWN, 1.05, 1.15, START.plusSeconds(60)),
            sample("one", Signal.SLOWDOWN, 1.9, 1.15, START.minusSeconds(60)),
            sample("two", Signal.LATENCY, 0.08, 0.05, START),
            sample("gone", Signal.SLOWDOWN, 3, 1.15, START)));
    assertThat(harm.now(START.plusSeconds(90)))
        .containsExactly(
            new Harm("team-a/two", "GPU-two", Signal.LATENCY, 0.08, 0.05, START),
            new Harm("team-a/one", "GPU-one", Signal.SLOWDOWN, 1.05, 1.15, START.plusSeconds(60)));
    assertThat(harm.now(START)).extracting(Harm::isBeyond).containsExactly(true, false);
  }

  @Test
  void forgetsWhatIsOldAndLeavesMemoryToTheGpus() {
    grant("one");
    harm.measured(
        List.of(
            sample("one", Signal.SLOWDOWN, 1.4, 1.15, START),
            sample("one", Signal.MEMORY, 39, 38, START)));
    assertThat(harm.now(START.plus(MeasuredHarm.FRESH))).hasSize(1);
    assertThat(harm.now(START.plus(MeasuredHarm.FRESH).plusSeconds(1))).isEmpty();
  }

  @Test
  void isInTheTotals() {
    grant("one", "two");
    harm.measured(
        List.of(
            sample("one", Signal.SLOWDOWN, 1.0, 1.15, START),
            sample("two", Signal.SLOWDOWN, 1.5, 1.15, START)));
    Map<Figure, Double> figures = figures(harm.now(START));
    assertThat(figures)
        .containsEntry(Figure.MEASURED_PODS, 2.0)
        .containsEntry(Figure.HARMED_PODS, 1.0)
        .containsEntry(Figure.MEASURED_SLOWDOWN, 1.25)
        .containsEntry(Figure.WORST_MEASURED_SLOWDOWN, 1.5);
    assertThat(figures(List.of()))
        .containsEntry(Figure.MEASURED_PODS, 0.0)
        .doesNotContainKey(Figure.MEASURED_SLOWDOWN);
  }

  private static Map<Figure, Double> figures(List<Harm> measured) {
    return ClusterState.of(
            new ClusterSnapshot(START, List.of()),
            new ClusterState.Context(
                0, Map.of(), measured, SharingLimits.DEFAULT, Map.of(), (_, _) -> 1))
        .figures();
  }
}

package dev.cotenant.service.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EvidenceCountsTest {
  private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");
  private static final Decision HELD =
      new Decision.Held(List.of(new Reason.NoCandidateGpu(1, "it is busy")));

  private final EvidenceCounts counts =
      new EvidenceCounts(
          new MemoryOfEvidence(),
          _ -> {
            throw new IllegalStateException("nothing is measured");
          },
          () -> NOW);

  private static Decision admitted(MemorySize used, int tenants, double slowdown) {
    return new Decision.Admitted(
        List.of(new Grant("GPU-1", "node", null)),
        new Evidence.WithinLimits(
            SummedUtilization.ofPercent(80),
            used,
            MemorySize.ofGiB(4),
            MemorySize.ofGiB(38),
            "peak-bound",
            Slowdown.ofRatio(slowdown),
            tenants,
            SharingLimits.DEFAULT,
            null,
            null,
            null));
  }

  private void decide(@Nullable String name, Decision decision, Policy.Mode mode) {
    counts.decided(
        new DecisionRecord(
            NOW,
            new Colocatable(
                new PodIdentity("team-a", name, name == null ? "tune-" : null),
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    null, 1, RunSettings.DEFAULT, null, null, null, null, List.of()),
                new NodeConstraints(null, List.of())),
            new PlacementRequest.Whole("w", 1, new ExclusiveCause.SeveralGpus(), Map.of()),
            decision,
            Intent.REAL,
            mode));
  }

  private long count(Observed kind) {
    return counts.namespaces(Set.of()).stream().mapToLong(one -> one.count(kind)).sum();
  }

  @Test
  void aPodThatWaitsCountsOnceHoweverOftenItsReasonsChange() {
    for (int i = 0; i < 5; i++) {
      decide("train", HELD, Policy.Mode.ENFORCE);
    }
    decide("train", admitted(MemorySize.ZERO, 1, 1), Policy.Mode.ENFORCE);
    assertThat(count(Observed.DECIDED_HELD)).isEqualTo(1);
    assertThat(count(Observed.DECIDED_ALONE)).isEqualTo(1);
    decide("train", HELD, Policy.Mode.ENFORCE); // another pod of the name
    assertThat(count(Observed.DECIDED_HELD)).isEqualTo(2);
  }

  /** Operators look for a namespace that has just got a policy. */
  @Test
  void aListedNamespaceWithoutDecisionsIsThere() {
    decide("train", HELD, Policy.Mode.SHADOW);
    List<EvidenceCounts.Known> known = counts.namespaces(Set.of("team-a", "team-b"));
    assertThat(known)
        .extracting(EvidenceCounts.Known::namespace)
        .containsExactly("team-a", "team-b");
    assertThat(known.getLast().counts()).isEmpty();
  }

  @Test
  void podsWithoutANameAreNotOne() {
    decide(null, HELD, Policy.Mode.SHADOW);
    decide(null, HELD, Policy.Mode.SHADOW);
    decide("train", HELD, Policy.Mode.SHADOW);
    decide("train", HELD, Policy.Mode.SHADOW);
    assertThat(count(Observed.DECIDED_HELD)).isEqualTo(4);
  }

  /** In mode shadow nobody has a grant: what is used there is who would be beside it. */
  @Test
  void memoryInUseThatNoGrantExplainsIsSomebodyBesideIt() {
    decide(null, admitted(MemorySize.ofGiB(9), 1, 1.08), Policy.Mode.SHADOW);
    decide(null, admitted(MemorySize.ofMiB(400), 2, 1.02), Policy.Mode.SHADOW);
    decide(null, admitted(MemorySize.ofMiB(400), 1, 1), Policy.Mode.SHADOW);
    assertThat(count(Observed.DECIDED_SHARED)).isEqualTo(2);
    assertThat(count(Observed.DECIDED_ALONE)).isEqualTo(1);
    assertThat(count(Observed.PREDICTED_SLOWDOWN_MILLI)).isEqualTo(2_100);
    assertThat(count(Observed.PREDICTED_SLOWED)).isEqualTo(1);
  }
}

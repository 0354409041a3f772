package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.HungryModels;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome.Predicted;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Checks by the annotations of the pods that there really are that no GPU is beyond any limit; that
 * they slow each other down as {@link HungryModels} do.
 */
final class Grants {
  static final DeviceId A100 = new DeviceId("a100-40gb");

  private final Set<String> chosenByKubelet;
  private final SharingLimits limits;
  private final Policies policies;
  private final LearnedRisks risks;

  /**
   * @param chosenByKubelet GPUs of one node of which pods only get so many, whatever was named
   */
  Grants(Set<String> chosenByKubelet, SharingLimits limits, Policies policies, LearnedRisks risks) {
    this.policies = policies;
    this.risks = risks;
    this.chosenByKubelet = chosenByKubelet;
    this.limits = limits;
  }

  void verify(Iterable<StoredPod> pods) {
    verify(pods, List.of());
  }

  /** The same, with capacity that was reserved for callers. */
  void verify(Iterable<StoredPod> pods, List<PodGrant> reserved) {
    Map<String, List<Holder>> byGpu = new HashMap<>();
    for (StoredPod pod : pods) {
      if (pod.isLive() && !pod.gates.contains(WatchedPod.GATE) && isGranted(pod)) {
        for (String gpu : pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1)) {
          byGpu.computeIfAbsent(gpu, _ -> new ArrayList<>()).add(Holder.of(pod));
        }
      }
    }
    for (PodGrant grant : reserved) {
      grant
          .gpus()
          .forEach(gpu -> byGpu.computeIfAbsent(gpu, _ -> new ArrayList<>()).add(Holder.of(grant)));
    }
    long counted =
        byGpu.entrySet().stream()
            .filter(entry -> chosenByKubelet.contains(entry.getKey()))
            .mapToLong(entry -> entry.getValue().size())
            .sum();
    assertThat(counted).isLessThanOrEqualTo(chosenByKubelet.size());
    byGpu.keySet().removeAll(chosenByKubelet);
    byGpu.forEach(this::verify);
  }

  static boolean isGranted(StoredPod pod) {
    return pod.annotations.containsKey(CotenantAnnotations.ASSIGNED_GPU);
  }

  /** The most that a pod is to be slowed down. */
  static Slowdown slowdownLimit(StoredPod pod) {
    Slowdown limit = SharingLimits.DEFAULT.slowdown();
    Slowdown tolerated = ((Colocatable) pod.request).workload().maxSlowdown();
    return tolerated == null || limit.compareTo(tolerated) < 0 ? limit : tolerated;
  }

  /** What is predicted of a pod itself, whose model is known. */
  static Prediction predicted(StoredPod pod) {
    Workload workload = GrantReader.workload(pod.request).orElseThrow();
    Predicted predicted =
        (Predicted) World.HUNGRY.predict(workload, Set.of(A100), Coverage.STANDARD);
    return Objects.requireNonNull(predicted.byDevice().get(A100));
  }

  /** Who holds capacity, at most how much of a GPU, and what it does to others. */
  private record Holder(
      PodIdentity pod,
      String name,
      boolean whole,
      double percent,
      double mebibytes,
      double hungerPercent,
      double toleratedPercent,
      SharedJob job,
      boolean isTrial,
      Instant grantedAt) {
    static Holder of(StoredPod pod) {
      String name = pod.identity.toString();
      return isWhole(pod)
          ? whole(pod.identity, name, grantedAt(pod))
          : new Holder(
              pod.identity,
              name,
              false,
              Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)),
              Double.parseDouble(
                  pod.annotation(CotenantAnnotations.PREDICTED_MEMORY).replace("Mi", "")),
              hungerPercent(predicted(pod)),
              percent(slowdownLimit(pod)),
              LearnedRisks.job(predicted(pod)),
              Grants.isTrial(pod),
              grantedAt(pod));
    }

    static Holder of(PodGrant grant) {
      String name = "reservation " + grant.key();
      Prediction prediction = grant.admitted().grants().getFirst().prediction();
      return grant.extent() == PodGrant.Extent.WHOLE || prediction == null
          ? whole(grant.pod(), name, grant.grantedAt())
          : new Holder(
              grant.pod(),
              name,
              false,
              prediction.utilization().upper().percent(),
              prediction.peakMemory().upper().toMiB(),
              hungerPercent(prediction),
              percent(grant.slowdownLimit()),
              LearnedRisks.job(prediction),
              grant.risk().exploration().isOne(),
              grant.grantedAt());
    }

    private static Holder whole(PodIdentity pod, String name, Instant at) {
      SharedJob job = new SharedJob("whole", "whole", 1, 1);
      return new Holder(pod, name, true, 100, 0, 0, 0, job, false, at);
    }

    private static Instant grantedAt(StoredPod pod) {
      return Instant.parse(pod.annotation(CotenantAnnotations.GRANTED_AT));
    }

    private static double hungerPercent(Prediction prediction) {
      return HungryModels.percent(Objects.requireNonNull(prediction.work()));
    }

    private static double percent(Slowdown slowdown) {
      return (slowdown.ratio() - 1) * 100;
    }
  }

  private void verify(String gpu, List<Holder> tenants) {
    if (tenants.stream().anyMatch(Holder::whole)) {
      assertThat(tenants.stream().map(Holder::name))
          .as("tenants of %s, one of which holds it whole", gpu)
          .hasSize(1);
      return;
    }
    assertThat(tenants.stream().map(one -> policies.trustDomainName(one.pod().namespace())))
        .as("trust domains on %s by %s", gpu, tenants)
        .containsOnly(policies.trustDomainName(tenants.getFirst().pod().namespace()));
    assertThat(tenants).as("tenants of %s", gpu).hasSizeLessThanOrEqualTo(limits.tenants());
    // Each was written rounded up to a tenth.
    assertThat(tenants.stream().mapToDouble(Holder::percent).sum())
        .as("summed utilization of %s by %s", gpu, tenants)
        .isLessThanOrEqualTo(limits.summedUtilization().percent() + 0.1 * tenants.size());
    assertThat(tenants.stream().mapToDouble(Holder::mebibytes).sum())
        .as("summed memory of %s by %s", gpu, tenants)
        .isLessThanOrEqualTo(
            FakeGpus.CAPACITY.toMiB() * (1 - limits.memoryHeadroomFraction()) + tenants.size());
    verifySlowdown(gpu, tenants);
    verifyRisk(gpu, tenants);
  }

  /** By what was known when the last of them was granted. */
  private void verifyRisk(String gpu, List<Holder> tenants) {
    RiskLimit limit = policies.standard().limits().standard().risk();
    Instant last = tenants.stream().map(Holder::grantedAt).max(Instant::compareTo).orElseThrow();
    boolean isTried = tenants.stream().anyMatch(Holder::isTrial);
    double most = isTried ? limit.mostInExploration() : limit.budget();
    for (Holder victim : tenants) {
      List<SharedJob> others =
          tenants.stream().filter(one -> !one.equals(victim)).map(Holder::job).toList();
      if (!others.isEmpty() && limit.rule() != RiskLimit.Rule.OFF) {
        VictimColocation colocation = new VictimColocation(A100.value(), victim.job(), others);
        assertThat(risks.risk(last, colocation, 1 + victim.toleratedPercent() / 100, limit.rule()))
            .as("risk of %s on %s among %s", victim.name(), gpu, tenants)
            .isLessThanOrEqualTo(most + LearnedRisks.ROUNDING);
        assertThat(isTried && victim.toleratedPercent() == 0)
            .as("trial beside %s, who takes no slowdown", victim.name())
            .isFalse();
      }
    }
  }

  /** Whatever anybody tolerates who is not alone there. */
  private static void verifySlowdown(String gpu, List<Holder> tenants) {
    double percent = tenants.stream().mapToDouble(Holder::hungerPercent).sum();
    if (tenants.size() > 1) {
      assertThat(tenants)
          .as("who is slowed down by %s %% on %s", percent, gpu)
          .allSatisfy(
              holder -> assertThat(percent).isLessThanOrEqualTo(holder.toleratedPercent() + 1e-6));
    }
  }

  /** Whether it was granted a share beyond a budget. */
  static boolean isTrial(StoredPod pod) {
    return pod.annotations
        .getOrDefault(CotenantAnnotations.GRANTED_RISK, "")
        .endsWith("in a trial");
  }

  static boolean isWhole(StoredPod pod) {
    return GrantAnnotations.EXCLUSIVE.equals(pod.annotation(CotenantAnnotations.DECISION));
  }
}

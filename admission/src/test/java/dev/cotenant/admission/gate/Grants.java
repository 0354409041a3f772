package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.GrantAnnotations;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks by the annotations of the pods that there really are that no GPU is beyond any limit. */
final class Grants {
  private final Set<String> chosenByKubelet;
  private final SharingLimits limits;

  /**
   * @param chosenByKubelet GPUs of one node of which pods only get so many, whatever was named
   */
  Grants(Set<String> chosenByKubelet, SharingLimits limits) {
    this.chosenByKubelet = chosenByKubelet;
    this.limits = limits;
  }

  void verify(Iterable<StoredPod> pods) {
    verify(pods, List.of());
  }

  /** The same, with room that was reserved for callers. */
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

  /** Who holds room, and at most how much of a GPU. */
  private record Holder(String name, boolean whole, double percent, double mebibytes) {
    static Holder of(StoredPod pod) {
      String name = pod.identity.toString();
      return isWhole(pod)
          ? new Holder(name, true, 100, 0)
          : new Holder(
              name,
              false,
              Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)),
              Double.parseDouble(
                  pod.annotation(CotenantAnnotations.PREDICTED_MEMORY).replace("Mi", "")));
    }

    static Holder of(PodGrant grant) {
      String name = "reservation " + grant.key();
      Prediction prediction = grant.admitted().grants().getFirst().prediction();
      return grant.extent() == PodGrant.Extent.WHOLE || prediction == null
          ? new Holder(name, true, 100, 0)
          : new Holder(
              name,
              false,
              prediction.utilization().upper().percent(),
              prediction.peakMemory().upper().toMiB());
    }
  }

  private void verify(String gpu, List<Holder> tenants) {
    if (tenants.stream().anyMatch(Holder::whole)) {
      assertThat(tenants.stream().map(Holder::name))
          .as("tenants of %s, one of which holds it whole", gpu)
          .hasSize(1);
      return;
    }
    assertThat(tenants).as("tenants of %s", gpu).hasSizeLessThanOrEqualTo(limits.tenants());
    // Each was written rounded up to a tenth.
    assertThat(tenants.stream().mapToDouble(Holder::percent).sum())
        .as("summed utilization of %s", gpu)
        .isLessThanOrEqualTo(limits.summedUtilization().percent() + 0.1 * tenants.size());
    assertThat(tenants.stream().mapToDouble(Holder::mebibytes).sum())
        .as("summed memory of %s", gpu)
        .isLessThanOrEqualTo(
            FakeGpus.CAPACITY.toMiB() * (1 - limits.memoryHeadroomFraction()) + tenants.size());
  }

  static boolean isWhole(StoredPod pod) {
    return GrantAnnotations.EXCLUSIVE.equals(pod.annotation(CotenantAnnotations.DECISION));
  }
}

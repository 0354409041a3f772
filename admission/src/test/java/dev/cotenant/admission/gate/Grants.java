package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.decision.SharingLimits;
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
    Map<String, List<StoredPod>> byGpu = new HashMap<>();
    for (StoredPod pod : pods) {
      if (pod.isLive() && !pod.gates.contains(WatchedPod.GATE) && isGranted(pod)) {
        for (String gpu : pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1)) {
          byGpu.computeIfAbsent(gpu, _ -> new ArrayList<>()).add(pod);
        }
      }
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

  private void verify(String gpu, List<StoredPod> tenants) {
    if (tenants.stream().anyMatch(Grants::isWhole)) {
      assertThat(tenants.stream().map(pod -> pod.identity.toString()))
          .as("tenants of %s, one of which holds it whole", gpu)
          .hasSize(1);
      return;
    }
    assertThat(tenants).as("tenants of %s", gpu).hasSizeLessThanOrEqualTo(limits.tenants());
    double percent =
        tenants.stream()
            .map(pod -> pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION))
            .mapToDouble(Double::parseDouble)
            .sum();
    // Each was written rounded up to a tenth.
    assertThat(percent)
        .as("summed utilization of %s", gpu)
        .isLessThanOrEqualTo(limits.summedUtilization().percent() + 0.1 * tenants.size());
    long mebibytes =
        tenants.stream()
            .map(pod -> pod.annotation(CotenantAnnotations.PREDICTED_MEMORY))
            .mapToLong(memory -> Long.parseLong(memory.replace("Mi", "")))
            .sum();
    assertThat((double) mebibytes)
        .as("summed memory of %s", gpu)
        .isLessThanOrEqualTo(
            FakeGpus.CAPACITY.toMiB() * (1 - limits.memoryHeadroomFraction()) + tenants.size());
  }

  static boolean isWhole(StoredPod pod) {
    return GrantAnnotations.EXCLUSIVE.equals(pod.annotation(CotenantAnnotations.DECISION));
  }
}

package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.placement.PartitionCheck;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * GPUs whose grants exceed the limits: annotations were written by others, or limits became
 * stricter. Nothing more is granted there. Memory does not count: measurements may leave capacity
 * where the sum of all bounds would not.
 */
final class Overcommitments {
  /** Percentages are written rounded up to a tenth. */
  private static final double ROUNDING_PERCENT = 0.1;

  private final GatePorts ports;
  private final Term term;
  private final Set<String> reported = new HashSet<>();

  Overcommitments(GatePorts ports, Term term) {
    this.ports = ports;
    this.term = term;
  }

  /** Counts them, and reports new ones. */
  int count() {
    TreeMap<String, List<PodGrant>> shared = new TreeMap<>();
    for (PodGrant grant : term.ledger().all()) {
      for (String gpu : grant.gpus()) {
        List<PodGrant> there =
            term.ledger().on(gpu).stream()
                .filter(held -> !term.preemptions().isHold(held))
                .toList();
        if (there.size() > 1) {
          shared.put(gpu, there);
        }
      }
    }
    int count = 0;
    for (var entry : shared.entrySet()) {
      GpuSnapshot gpu = term.cluster().gpus().find(entry.getKey()).orElse(null);
      if (gpu != null && isTooMuch(gpu, entry.getValue())) {
        count++;
        report(gpu, entry.getValue());
      }
    }
    reported.retainAll(shared.keySet());
    return count;
  }

  private boolean isTooMuch(GpuSnapshot gpu, List<PodGrant> grants) {
    if (grants.stream().anyMatch(grant -> grant.extent() == Extent.WHOLE)) {
      return true;
    }
    double percent = 0;
    List<@Nullable ServicePartition> partitions = new ArrayList<>();
    for (PodGrant grant : grants) {
      Prediction prediction =
          Objects.requireNonNull(grant.admitted().grants().getFirst().prediction());
      percent += prediction.utilization().upper().percent();
      partitions.add(prediction.partition());
    }
    SharingLimits limits =
        ports
            .policies()
            .get()
            .of(grants.getLast().pod().namespace())
            .limits()
            .on(gpu.device().id());
    return grants.size() > limits.tenants()
        || (percent > limits.summedUtilization().percent() + ROUNDING_PERCENT * grants.size()
            && !PartitionCheck.isPartitioned(partitions, limits));
  }

  private void report(GpuSnapshot gpu, List<PodGrant> grants) {
    if (!reported.add(gpu.uuid())) {
      return;
    }
    String why =
        "the grants on "
            + gpu.uuid()
            + " claim more than the limits allow; nothing more is granted there";
    for (PodGrant grant : grants) {
      TrackedPod pod = term.pods().find(grant.key());
      if (pod != null) {
        ports.listener().distrusted(pod.latest(), why);
        ports.cluster().report(pod.latest(), StatusReport.warning("Overcommitted", why));
      }
    }
  }
}

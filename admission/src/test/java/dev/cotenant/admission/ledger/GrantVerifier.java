package dev.cotenant.admission.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.List;

/** Checks that no GPU of a cluster, grants counted, is beyond any limit. */
final class GrantVerifier {
  private final SharingLimits limits;

  GrantVerifier(SharingLimits limits) {
    this.limits = limits;
  }

  void verify(ClusterSnapshot cluster) {
    cluster.gpus().forEach(this::verify);
  }

  private void verify(GpuSnapshot gpu) {
    if (!(gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants))) {
      return;
    }
    assertThat(tenants).as(gpu.uuid()).hasSizeLessThanOrEqualTo(limits.tenants());
    assertThat(
            tenants.stream()
                .map(tenant -> tenant.utilization().upper())
                .reduce(SummedUtilization.ZERO, SummedUtilization::plus, (a, _) -> a))
        .as(gpu.uuid())
        .isLessThanOrEqualTo(limits.summedUtilization());
    // All tenants are young here, so each counts with its prediction on top of the series.
    MemorySize used = ((MemoryObservation.Measured) gpu.memory()).windowPeak();
    for (Tenant tenant : tenants) {
      used = used.plus(tenant.peakMemory().upper());
    }
    double limit = gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction());
    assertThat((double) used.bytes()).as(gpu.uuid()).isLessThanOrEqualTo(limit);
  }
}

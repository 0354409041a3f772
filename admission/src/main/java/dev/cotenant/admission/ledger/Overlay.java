package dev.cotenant.admission.ledger;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Grant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The newest snapshot with all grants as tenants; while the snapshot stays the same, a grant that
 * comes or goes costs as much as its own GPUs. Not safe for use by many threads.
 */
final class Overlay {
  /** By uuid, then by token, the oldest first. */
  private final Map<String, Map<String, LedgerEntry>> byGpu = new HashMap<>();

  private final Set<String> changed = new TreeSet<>();
  private @Nullable ClusterSnapshot base;
  private @Nullable ClusterSnapshot overlaid;

  void put(LedgerEntry entry) {
    for (Grant grant : entry.admitted().grants()) {
      byGpu
          .computeIfAbsent(grant.gpuUuid(), _ -> new LinkedHashMap<>())
          .put(entry.claim().token(), entry);
      changed.add(grant.gpuUuid());
    }
  }

  void remove(LedgerEntry entry) {
    for (Grant grant : entry.admitted().grants()) {
      byGpu.getOrDefault(grant.gpuUuid(), new LinkedHashMap<>()).remove(entry.claim().token());
      changed.add(grant.gpuUuid());
    }
  }

  @SuppressWarnings("ReferenceEquality") // comparing clusters would cost as much as overlaying
  ClusterSnapshot on(ClusterSnapshot snapshot) {
    ClusterSnapshot known = overlaid;
    if (known == null || snapshot != base) {
      base = snapshot;
      known = snapshot;
      changed.clear();
      changed.addAll(byGpu.keySet());
    }
    List<GpuSnapshot> gpus = new ArrayList<>(changed.size());
    for (String uuid : changed) {
      snapshot.find(uuid).map(this::withGrants).ifPresent(gpus::add);
    }
    changed.clear();
    known = known.with(gpus);
    overlaid = known;
    return known;
  }

  private GpuSnapshot withGrants(GpuSnapshot gpu) {
    Tenancy tenancy = gpu.tenancy();
    for (LedgerEntry entry : byGpu.getOrDefault(gpu.uuid(), Map.of()).values()) {
      for (Grant grant : entry.admitted().grants()) {
        tenancy = grant.gpuUuid().equals(gpu.uuid()) ? entry.addTo(tenancy, grant) : tenancy;
      }
    }
    return gpu.withTenancy(tenancy);
  }
}

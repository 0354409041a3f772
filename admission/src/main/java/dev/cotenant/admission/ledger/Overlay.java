package dev.cotenant.admission.ledger;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The newest snapshot with all occupants as tenants; a change costs as much as its GPUs while the
 * snapshot stays the same. Not safe for use by many threads.
 */
public final class Overlay {
  private final Map<String, Occupant> byKey = new HashMap<>();

  /** By uuid, then by key, the oldest first. */
  private final Map<String, Map<String, Occupant>> byGpu = new HashMap<>();

  /** GPUs that take nobody else, by uuid, and since when. */
  private final Map<String, Instant> closed = new HashMap<>();

  private final Set<String> changed = new TreeSet<>();
  private @Nullable ClusterSnapshot base;
  private @Nullable ClusterSnapshot overlaid;

  /** Adds an occupant, or replaces the one with its key. */
  public void put(Occupant occupant) {
    Occupant before = byKey.put(occupant.key(), occupant);
    if (before != null) {
      before.gpus().stream()
          .filter(gpu -> !occupant.gpus().contains(gpu))
          .forEach(gpu -> removeFrom(gpu, occupant.key()));
    }
    for (String gpu : occupant.gpus()) {
      byGpu.computeIfAbsent(gpu, _ -> new LinkedHashMap<>()).put(occupant.key(), occupant);
      changed.add(gpu);
    }
  }

  /** Removes the occupant with this key. */
  public void remove(String key) {
    Occupant occupant = byKey.remove(key);
    if (occupant != null) {
      occupant.gpus().forEach(gpu -> removeFrom(gpu, key));
    }
  }

  /** Closes these GPUs to others, and no others; whether one was opened. */
  public boolean close(Map<String, Instant> gpus) {
    boolean opened = !gpus.keySet().containsAll(closed.keySet());
    changed.addAll(closed.keySet());
    changed.addAll(gpus.keySet());
    closed.clear();
    closed.putAll(gpus);
    return opened;
  }

  /** GPUs that take nobody else, by uuid, and since when. */
  public Map<String, Instant> closed() {
    return Collections.unmodifiableMap(closed);
  }

  /** The occupant with this key. */
  public Optional<Occupant> find(String key) {
    return Optional.ofNullable(byKey.get(key));
  }

  /** The occupants of a GPU, oldest first. */
  public Collection<Occupant> on(String gpu) {
    return Collections.unmodifiableCollection(byGpu.getOrDefault(gpu, Map.of()).values());
  }

  private void removeFrom(String gpu, String key) {
    Map<String, Occupant> there = byGpu.get(gpu);
    if (there != null && there.remove(key) != null) {
      changed.add(gpu);
      if (there.isEmpty()) {
        byGpu.remove(gpu);
      }
    }
  }

  /** The snapshot with all occupants. */
  @SuppressWarnings("ReferenceEquality") // snapshots are cached by identity
  public ClusterSnapshot on(ClusterSnapshot snapshot) {
    ClusterSnapshot known = overlaid;
    if (known == null || snapshot != base) {
      base = snapshot;
      known = snapshot;
      changed.clear();
      changed.addAll(byGpu.keySet());
    }
    List<GpuSnapshot> gpus = new ArrayList<>(changed.size());
    for (String uuid : changed) {
      snapshot.find(uuid).map(this::withOccupants).ifPresent(gpus::add);
    }
    changed.clear();
    known = known.with(gpus);
    overlaid = known;
    return known;
  }

  /** A GPU without the occupant of this key. */
  public GpuSnapshot onBut(String key, GpuSnapshot gpu) {
    return withOccupants(gpu, occupant -> !occupant.key().equals(key));
  }

  private GpuSnapshot withOccupants(GpuSnapshot gpu) {
    return withOccupants(gpu, _ -> true);
  }

  private GpuSnapshot withOccupants(GpuSnapshot gpu, Predicate<Occupant> which) {
    Tenancy tenancy = gpu.tenancy();
    for (Occupant occupant : byGpu.getOrDefault(gpu.uuid(), Map.of()).values()) {
      if (which.test(occupant)) {
        tenancy = occupant.addTo(tenancy);
      }
    }
    Instant since = closed.get(gpu.uuid());
    return gpu.withTenancy(
        since != null && tenancy instanceof Tenancy.Shared(List<Tenant> tenants)
            ? new Tenancy.Shared(tenants.stream().map(one -> one.guardedSince(since)).toList())
            : tenancy);
  }
}

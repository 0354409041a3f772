package dev.cotenant.admission.inventory;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.fit.Placements;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.device.DeviceId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Grants of a term, with their effect on occupancy and placements. */
public final class GrantBook {
  private final Inventory inventory;
  private final Occupancy occupancy;
  private final Placements placements;
  private final Supplier<Policies> policies;
  private final Map<String, PodGrant> byKey = new HashMap<>();

  /** Keys of expiring grants that are not held by pods. */
  private final Set<String> lapsing = new HashSet<>();

  /** Keys of grants whose pods are measured alone. */
  private final Set<String> profiled = new TreeSet<>();

  /** Keys of grants that changed since the last {@link #takeChanged}. */
  private Set<String> changed = new HashSet<>();

  /** Keys of grants that changed since the last {@link #takeUnindexed}; null without an index. */
  private @Nullable Set<String> unindexed;

  public GrantBook(
      Inventory inventory,
      Occupancy occupancy,
      Placements placements,
      Supplier<Policies> policies) {
    this.inventory = inventory;
    this.occupancy = occupancy;
    this.placements = placements;
    this.policies = policies;
  }

  /** Keys of grants that changed since the last call. */
  public Set<String> takeChanged() {
    Set<String> taken = changed;
    changed = new HashSet<>();
    return taken;
  }

  /** Keys of all grants on the first call, else of those that changed; for an index of grants. */
  public Set<String> takeUnindexed() {
    Set<String> taken = unindexed == null ? Set.copyOf(byKey.keySet()) : unindexed;
    if (!taken.isEmpty() || unindexed == null) {
      unindexed = new HashSet<>();
    }
    return taken;
  }

  /** There is no index any more. */
  public void endIndex() {
    unindexed = null;
  }

  private void changed(String key) {
    changed.add(key);
    if (unindexed != null) {
      unindexed.add(key);
    }
  }

  public Optional<PodGrant> find(String key) {
    return Optional.ofNullable(byKey.get(key));
  }

  public Collection<PodGrant> all() {
    return Collections.unmodifiableCollection(byKey.values());
  }

  /** Grants whose pods are measured alone, by key. */
  public List<PodGrant> profiled() {
    return profiled.stream().map(key -> Objects.requireNonNull(byKey.get(key))).toList();
  }

  /** Adds or replaces a grant by key. */
  public void put(PodGrant grant) {
    changed(grant.key());
    placements.granted(grant.key(), grant.node());
    PodGrant before = byKey.put(grant.key(), grant);
    if (before != null && !before.gpus().equals(grant.gpus())) {
      unname(before);
    }
    if (grant.state() instanceof PodGrant.Allocated(Instant until) && until != null) {
      lapsing.add(grant.key());
    } else {
      lapsing.remove(grant.key());
    }
    if (grant.profileTime().isPositive()) {
      profiled.add(grant.key());
    } else {
      profiled.remove(grant.key());
    }
    grant.gpus().forEach(gpu -> inventory.name(grant.node(), gpu));
    boolean counted = isCounted(grant);
    String holder = grant.pod().toString();
    if (grant.isNomination()) {
      occupancy.bound().remove(grant.key());
      if (counted) {
        occupancy.nominate(grant.key(), grant.node(), holder, grant.gpus().size());
      } else {
        occupancy.nominate(grant.occupant(), grant.node());
      }
    } else if (counted) {
      occupancy.put(grant.key(), grant.node(), holder, grant.gpus().size());
    } else {
      occupancy.put(grant.occupant(), grant.node());
    }
  }

  /** Releases the nominations on a node, of the pods with these keys. */
  public void displace(String node, Set<String> keys) {
    byKey.values().stream()
        .filter(grant -> grant.isNomination() && grant.node().equals(node))
        .map(PodGrant::key)
        .filter(keys::contains)
        .toList()
        .forEach(this::release);
  }

  /**
   * The same grant, of GPUs that no other grant names. If the kubelet chooses the GPU, the uuid of
   * a grant represents any GPU of the node, and an idle GPU may be named already.
   */
  public PodGrant distinct(PodGrant grant) {
    if (!isCounted(grant)) {
      return grant;
    }
    Set<String> taken =
        byKey.values().stream()
            .filter(other -> !other.isNomination() && other.node().equals(grant.node()))
            .filter(other -> !other.key().equals(grant.key()))
            .flatMap(other -> other.gpus().stream())
            .collect(Collectors.toCollection(HashSet::new));
    List<Grant> named = new ArrayList<>();
    for (Grant one : grant.admitted().grants()) {
      String uuid = taken.contains(one.gpuUuid()) ? another(grant, one, taken) : one.gpuUuid();
      taken.add(uuid);
      named.add(new Grant(uuid, one.node(), one.prediction()));
    }
    return grant.with(new Decision.Admitted(named, grant.admitted().evidence()));
  }

  /** A GPU of the same product that no grant names; the same one without any. */
  private String another(PodGrant grant, Grant one, Set<String> taken) {
    List<GpuSnapshot> gpus = inventory.gpus(grant.node());
    Optional<DeviceId> product =
        gpus.stream()
            .filter(gpu -> gpu.uuid().equals(one.gpuUuid()))
            .map(gpu -> gpu.device().id())
            .findFirst();
    return gpus.stream()
        .filter(gpu -> product.equals(Optional.of(gpu.device().id())))
        .map(GpuSnapshot::uuid)
        .filter(uuid -> !taken.contains(uuid) && !grant.gpus().contains(uuid))
        .findFirst()
        .orElse(one.gpuUuid());
  }

  /** The kubelet chooses the GPU, so that only their number is known. */
  private boolean isCounted(PodGrant grant) {
    return grant.extent() == Extent.WHOLE
        && inventory.gpus(grant.node()).size() > 1
        && !GpuAssignment.of(policies.get().of(grant.pod().namespace()).gpuAssignment())
            .choosesGpu();
  }

  /** Gives capacity back; whether there was any. */
  public boolean release(String key) {
    PodGrant grant = byKey.remove(key);
    if (grant == null) {
      return false;
    }
    changed(key);
    lapsing.remove(key);
    profiled.remove(key);
    placements.released(key);
    occupancy.remove(key);
    unname(grant);
    return true;
  }

  private void unname(PodGrant grant) {
    for (String gpu : grant.gpus()) {
      if (occupancy.on(gpu).isEmpty()) {
        inventory.unname(grant.node(), gpu);
      }
    }
  }

  /** Gives back what lapsed; when the next of the rest does. */
  public Optional<Instant> expire(Instant now) {
    List<PodGrant> all = lapsing.stream().sorted().flatMap(key -> find(key).stream()).toList();
    all.stream().filter(grant -> grant.isExpired(now)).forEach(grant -> release(grant.key()));
    return all.stream()
        .map(PodGrant::state)
        .flatMap(GrantBook::until)
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  private static Stream<Instant> until(PodGrant.State state) {
    return state instanceof PodGrant.Allocated(Instant until) && until != null
        ? Stream.of(until)
        : Stream.empty();
  }

  /** Who else was granted a GPU, by key. */
  public List<PodGrant> on(String gpu) {
    return occupancy.on(gpu).stream()
        .map(Occupant::key)
        .flatMap(key -> find(key).stream())
        .toList();
  }
}

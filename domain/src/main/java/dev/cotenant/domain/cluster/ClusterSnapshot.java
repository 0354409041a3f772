package dev.cotenant.domain.cluster;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All GPUs of a cluster at one instant. Their order carries no meaning: decisions break ties by
 * node and uuid.
 *
 * <p>Immutable. Views are made once and stored with it, by whichever thread comes first.
 */
public final class ClusterSnapshot {
  private final Instant takenAt;
  private final List<GpuSnapshot> gpus;
  private final Map<String, Integer> positions;
  private volatile @Nullable Set<DeviceId> devices;
  private volatile @Nullable SortedSet<MemorySize> capacities;
  private volatile @Nullable SnapshotView view;
  private final @Nullable ClusterSnapshot whole;
  private final boolean hypothetical;

  /**
   * @param takenAt when it was like that
   * @param gpus every GPU once
   * @throws IllegalArgumentException when two have one uuid
   */
  public ClusterSnapshot(Instant takenAt, List<GpuSnapshot> gpus) {
    this(takenAt, gpus, null, false);
  }

  private ClusterSnapshot(
      Instant takenAt,
      List<GpuSnapshot> gpus,
      @Nullable ClusterSnapshot whole,
      boolean hypothetical) {
    this(takenAt, List.copyOf(gpus), new HashMap<>(), whole, hypothetical);
    for (int i = 0; i < gpus.size(); i++) {
      String uuid = gpus.get(i).uuid();
      if (positions.put(uuid, i) != null) {
        throw new IllegalArgumentException("GPU " + uuid + " appears twice");
      }
    }
  }

  private ClusterSnapshot(
      Instant takenAt,
      List<GpuSnapshot> gpus,
      Map<String, Integer> positions,
      @Nullable ClusterSnapshot whole,
      boolean hypothetical) {
    this.takenAt = takenAt;
    this.gpus = gpus;
    this.positions = positions;
    this.whole = whole;
    this.hypothetical = hypothetical;
  }

  /** Some GPUs of it: what counts over all tenants counts over this snapshot. */
  public ClusterSnapshot part(List<GpuSnapshot> some) {
    return new ClusterSnapshot(takenAt, some, whole(), false);
  }

  /**
   * A subset of the GPUs in a hypothetical state; rules over all tenants see the whole snapshot
   * with these GPUs replaced.
   *
   * @throws IllegalArgumentException from {@link #whole()}, when one is not in the cluster
   */
  public ClusterSnapshot hypotheticalPart(List<GpuSnapshot> some) {
    return new ClusterSnapshot(takenAt, some, whole(), true);
  }

  /** Whether it has some GPUs of a snapshot alone. */
  public boolean isPart() {
    return whole != null;
  }

  /** The snapshot that tenants are counted over; itself for a snapshot that is not a part. */
  public ClusterSnapshot whole() {
    if (whole == null) {
      return this;
    }
    return hypothetical ? whole.with(gpus) : whole;
  }

  /** When it was like that. */
  public Instant takenAt() {
    return takenAt;
  }

  /** Every GPU once. */
  public List<GpuSnapshot> gpus() {
    return gpus;
  }

  /** The GPU of this uuid. */
  public Optional<GpuSnapshot> find(String uuid) {
    return Optional.ofNullable(positions.get(uuid)).map(gpus::get);
  }

  /** Products of the cluster, ordered by id. */
  public Set<DeviceId> devices() {
    Set<DeviceId> known = devices;
    if (known == null) {
      Set<DeviceId> ids = new TreeSet<>();
      gpus.forEach(gpu -> ids.add(gpu.device().id()));
      known = Collections.unmodifiableSet(ids);
      devices = known;
    }
    return known;
  }

  /** The capacities of its GPUs, each once. */
  public SortedSet<MemorySize> capacities() {
    SortedSet<MemorySize> known = capacities;
    if (known == null) {
      SortedSet<MemorySize> all = new TreeSet<>();
      gpus.forEach(gpu -> all.add(gpu.capacity()));
      known = Collections.unmodifiableSortedSet(all);
      capacities = known;
    }
    return known;
  }

  /**
   * Copy with changed GPUs, matched by uuid; node and product stay. An existing view is updated and
   * kept.
   *
   * @throws IllegalArgumentException when one is not in the cluster, or moved
   */
  public ClusterSnapshot with(Collection<GpuSnapshot> changed) {
    if (changed.isEmpty()) {
      return this;
    }
    GpuSnapshot[] all = gpus.toArray(GpuSnapshot[]::new);
    List<SnapshotView.Change> changes = new ArrayList<>(changed.size());
    for (GpuSnapshot gpu : changed) {
      int position = position(gpu);
      all[position] = gpu;
      changes.add(new SnapshotView.Change(position, gpu));
    }
    ClusterSnapshot after =
        new ClusterSnapshot(
            takenAt,
            Collections.unmodifiableList(Arrays.asList(all)),
            positions,
            whole,
            hypothetical);
    after.devices = devices;
    SnapshotView before = view;
    after.view = before == null ? null : before.with(changes);
    return after;
  }

  private int position(GpuSnapshot gpu) {
    Integer position = positions.get(gpu.uuid());
    if (position == null) {
      throw new IllegalArgumentException("GPU " + gpu.uuid() + " is not in the cluster");
    }
    GpuSnapshot before = gpus.get(position);
    if (!before.node().equals(gpu.node()) || !before.device().equals(gpu.device())) {
      throw new IllegalArgumentException("GPU " + gpu.uuid() + " is elsewhere or another product");
    }
    return position;
  }

  /**
   * The view of this type, made where there is none yet. One view is stored: a request for another
   * type replaces it.
   */
  public <V extends SnapshotView> V view(Class<V> type, Function<ClusterSnapshot, V> make) {
    SnapshotView known = view;
    if (type.isInstance(known)) {
      return type.cast(known);
    }
    V made = make.apply(this);
    view = made;
    return made;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ClusterSnapshot that
        && takenAt.equals(that.takenAt)
        && gpus.equals(that.gpus);
  }

  @Override
  public int hashCode() {
    return 31 * takenAt.hashCode() + gpus.hashCode();
  }

  @Override
  public String toString() {
    return "ClusterSnapshot[takenAt=" + takenAt + ", gpus=" + gpus + "]";
  }
}

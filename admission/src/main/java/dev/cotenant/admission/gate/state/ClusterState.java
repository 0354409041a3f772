package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.fit.ClusterFit;
import dev.cotenant.admission.fit.Demand;
import dev.cotenant.admission.fit.Placements;
import dev.cotenant.admission.fit.Volumes;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.inventory.ForeignClaims;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.inventory.Inventory;
import dev.cotenant.admission.inventory.MigProfiles;
import dev.cotenant.admission.inventory.Occupancy;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The nodes and GPUs of the cluster, their occupants, and what else decides where a pod fits. */
public final class ClusterState {
  private final Inventory inventory;
  private final Occupancy occupancy;
  private final Placements placements;
  private final Volumes volumes = new Volumes();
  private final ClusterFit fit;
  private final Claims claims;
  private final ForeignClaims foreignClaims;

  private final Function<String, Optional<Device>> products;

  ClusterState(Function<String, Optional<Device>> products, Supplier<Policies> policies) {
    this.products = products;
    inventory = new Inventory(products);
    occupancy = Occupancy.withNominations(inventory);
    placements = new Placements(occupancy::freedBesideGpus);
    fit = new ClusterFit(placements, volumes, inventory::nodes);
    claims =
        new Claims(
            this::refreshClaim,
            this::isDivisible,
            namespace ->
                policies.get().of(namespace).claimSharing() instanceof ClaimSharing.Capacity);
    foreignClaims =
        new ForeignClaims(occupancy, claims::gpus, node -> inventory.node(node).isPresent());
  }

  private boolean isDivisible(String uuid) {
    return foreignClaims.isDivisible(uuid);
  }

  private void refreshClaim(String key) {
    foreignClaims.refresh(key);
  }

  Inventory inventory() {
    return inventory;
  }

  Occupancy occupancy() {
    return occupancy;
  }

  Placements placements() {
    return placements;
  }

  Claims claims() {
    return claims;
  }

  /** A node is new or has changed; whether it is new. */
  public boolean put(WatchedNode node) {
    boolean isNew = inventory.node(node.name()).isEmpty();
    inventory.put(node);
    return isNew;
  }

  /** A node is gone. */
  public void removeNode(String name) {
    inventory.remove(name);
  }

  /** GPUs are measured anew. */
  public void measure(ClusterSnapshot readings) {
    inventory.refresh(readings);
  }

  /** Capacity may have become free for reasons outside the ledger. */
  public void freedElsewhere() {
    occupancy.freedElsewhere();
  }

  /** Closes these GPUs to others, and no others; by uuid, since when. */
  public void close(Map<String, Instant> gpus) {
    occupancy.close(gpus);
  }

  /** The MIG devices that drivers publish of these nodes. */
  public MigProfiles migProfiles(Predicate<String> node) {
    return new MigProfiles(foreignClaims.profiles(node), products);
  }

  /** The devices that ResourceClaims hold. */
  public ForeignClaims foreignClaims() {
    return foreignClaims;
  }

  /** A GPU pod is on a node, or waits for one. */
  public void place(WatchedPod pod) {
    placements.put(pod.uid(), pod.pod().namespace(), pod.footprint(), pod.scheduling().node());
  }

  /** Takes in a change beside GPU pods and nodes. */
  public void apply(ClusterChange change) {
    switch (change) {
      case ClusterChange.PodSeen(PlainPod pod) ->
          placements.put(pod.uid(), pod.namespace(), pod.footprint(), pod.node());
      case ClusterChange.PodGone(String uid) -> placements.remove(uid);
      case ClusterChange.VolumeSeen seen -> volumes.put(seen.volume());
      case ClusterChange.VolumeGone(String name) -> volumes.removeVolume(name);
      case ClusterChange.ClaimSeen seen -> volumes.put(seen.claim());
      case ClusterChange.ClaimGone(String key) -> volumes.removeClaim(key);
      case ClusterChange.DevicesClaimed(ClaimedDevices claim) -> foreignClaims.put(claim);
      case ClusterChange.DevicesReleased(String key) -> foreignClaims.removeClaim(key);
      case ClusterChange.DevicesPublished(PublishedDevices slice) -> foreignClaims.put(slice);
      case ClusterChange.DevicesWithdrawn(String slice) -> foreignClaims.removeSlice(slice);
    }
  }

  /** The node of this name. */
  public Optional<WatchedNode> node(String name) {
    return inventory.node(name);
  }

  /** Nodes with GPUs that take no pods now, and why. */
  public Map<String, String> unschedulableNodes() {
    Map<String, String> found = new HashMap<>();
    for (WatchedNode node : inventory.nodes()) {
      NodeMatch.whyUnschedulable(node)
          .filter(_ -> node.gpus() > 0)
          .ifPresent(why -> found.put(node.name(), why));
    }
    return found;
  }

  /** The GPUs of a node, without occupants. */
  public List<GpuSnapshot> gpus(String node) {
    return inventory.gpus(node);
  }

  /** All GPUs, without occupants. */
  public ClusterSnapshot gpus() {
    return inventory.base();
  }

  /** GPUs of nodes with an unknown product. */
  public int unrepresented() {
    return inventory.unrepresented();
  }

  /** All GPUs with their occupants, nominations included. */
  public ClusterSnapshot snapshot() {
    return occupancy.snapshot();
  }

  /** All GPUs with their occupants, without nominations. */
  public ClusterSnapshot boundSnapshot() {
    return occupancy.bound().snapshot();
  }

  /** The GPUs of a node without the occupants of these keys. */
  public List<GpuSnapshot> without(Set<String> keys, String node) {
    return occupancy.without(keys, node);
  }

  /** The same without nominations. */
  public List<GpuSnapshot> boundWithout(Set<String> keys, String node) {
    return occupancy.bound().without(keys, node);
  }

  /** A GPU without the occupant of this key. */
  public GpuSnapshot without(String key, GpuSnapshot gpu) {
    return occupancy.without(key, gpu);
  }

  /** Computes something as if a pod were not placed. */
  public <T> T unplaced(String uid, Supplier<T> computed) {
    return placements.without(uid, computed);
  }

  /** Computes a result without these pods. */
  public <T> T absent(Set<String> uids, Supplier<T> computed) {
    return placements.absent(uids, computed);
  }

  /** Grows whenever capacity may have become free. */
  public long freed() {
    return occupancy.freed();
  }

  /**
   * Nodes on which capacity may have become free since the last call; empty where it may be
   * anywhere.
   */
  public Optional<Set<String>> takeFreed() {
    return occupancy.takeFreed();
  }

  /** Grows whenever the relations between nodes change. */
  public long relations() {
    return fit.relations();
  }

  /** The facts that a pod's fit depends on. */
  public Demand demand(WatchedPod pod) {
    return placements.demand(pod.pod().namespace(), pod.footprint());
  }

  /** Where pods may get capacity, beside all occupants. */
  public Eligibility eligibility() {
    return new Eligibility(inventory, occupancy, fit);
  }

  /** The same by GPUs alone and without nominations. */
  public Eligibility boundEligibility() {
    return Eligibility.byGpus(inventory, occupancy.bound());
  }

  /** Reads grants from annotations. */
  public GrantReader reader(WorkloadPredictor predictor) {
    return new GrantReader(predictor, inventory);
  }
}

package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.inventory.GrantBook;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants of a term. Every grant occupies its GPUs, a nomination only where nominations count,
 * and a reservation has one holder at most.
 */
public final class GrantLedger {
  private final ClusterState cluster;
  private final GrantBook grants;

  /** Admission ids of reservations, by the uid of the pod that took them. */
  private final Map<String, String> holders = new HashMap<>();

  GrantLedger(ClusterState cluster, Supplier<Policies> policies) {
    this.cluster = cluster;
    this.grants =
        new GrantBook(cluster.inventory(), cluster.occupancy(), cluster.placements(), policies);
  }

  /** The grant of a pod's uid or of an admission id. */
  public Optional<PodGrant> find(String key) {
    return grants.find(key);
  }

  /** The grant of a pod that is no nomination; null without one. */
  public @Nullable PodGrant granted(String uid) {
    return grants.find(uid).filter(grant -> !grant.isNomination()).orElse(null);
  }

  /** All grants. */
  public Collection<PodGrant> all() {
    return grants.all();
  }

  /** The grants on a GPU. */
  public List<PodGrant> on(String gpu) {
    return grants.on(gpu);
  }

  /** Grants whose pods are measured alone, their GPUs closed to others. */
  public List<PodGrant> profiled() {
    return grants.profiled();
  }

  /** Keys of grants that changed since the last call. */
  public Set<String> takeChanged() {
    return grants.takeChanged();
  }

  Set<String> takeUnindexed() {
    return grants.takeUnindexed();
  }

  void endIndex() {
    grants.endIndex();
  }

  /** The same grant of GPUs that no other grant names, where the kubelet chooses the GPU. */
  public PodGrant distinct(PodGrant grant) {
    return grants.distinct(grant);
  }

  /** Allocates capacity, in place of what the key had. */
  public void allocate(PodGrant grant) {
    if (grant.isNomination()) {
      throw new IllegalArgumentException(grant.key() + " is nominated, not granted");
    }
    grants.put(grant);
  }

  /** Allocates capacity to a pod, and the GPUs to the ResourceClaim that it names. */
  public void allocate(WatchedPod pod, PodGrant grant) {
    allocate(grant);
    cluster.claims().put(pod, grant);
  }

  /** Nominates capacity for a pod that its scheduler is to bind. */
  public void nominate(PodGrant grant) {
    grants.put(grant.in(new PodGrant.Nominated()));
  }

  /** The pod has its capacity: the write is confirmed, or the annotations show it. */
  public void confirm(PodGrant grant) {
    if (grant.equals(grants.find(grant.key()).orElse(null))) {
      grants.put(grant.in(new PodGrant.Bound()));
    }
  }

  /**
   * Marks the pod's grant as unconfirmed while its write may be in flight; returns whether the pod
   * has a grant.
   */
  public boolean markUnconfirmed(String uid) {
    @Nullable PodGrant grant = grants.find(uid).orElse(null);
    if (grant != null) {
      grants.put(grant.in(new PodGrant.Allocated(null)));
    }
    return grant != null;
  }

  /** Releases a grant or nomination, with its claim and admission id; whether there was one. */
  public boolean release(String key) {
    holders.remove(key);
    cluster.claims().remove(key);
    return grants.release(key);
  }

  /** Releases the grant of a gated pod; its reservation stays. */
  public void withdraw(String uid) {
    cluster.claims().remove(uid);
    @Nullable PodGrant reserved = reserved(uid);
    if (reserved == null) {
      grants.release(uid);
    } else {
      grants.put(reserved.in(new PodGrant.Bound()));
    }
  }

  /** Ends the nominations on a node, of the pods with these uids. */
  public void displace(String node, Set<String> uids) {
    grants.displace(node, uids);
  }

  /** Releases reservations that have expired; the time of the next expiry. */
  public Optional<Instant> expire(Instant now) {
    return grants.expire(now);
  }

  /** A pod takes the reservation of an admission id. */
  public void take(String admissionId, PodIdentity pod, String uid) {
    PodGrant reserved = grants.find(admissionId).orElseThrow();
    grants.release(admissionId);
    holders.put(uid, admissionId);
    grants.put(reserved.boundTo(uid, pod));
  }

  /** The uid has taken this admission id under an earlier leader. */
  public void restoreHolder(String uid, String admissionId) {
    holders.put(uid, admissionId);
  }

  /** The pod does not use a reservation; its grant, if any, is its own. */
  public void dropAdmissionId(String uid) {
    holders.remove(uid);
  }

  /** The uid of the pod that took an admission id's grant. */
  public Optional<String> holderOf(String admissionId) {
    return holders.entrySet().stream()
        .filter(entry -> entry.getValue().equals(admissionId))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The admission id of a grant: the one that its pod took, else its key. */
  public String admissionId(PodGrant grant) {
    return holders.getOrDefault(grant.key(), grant.key());
  }

  /** The reservation that a pod took; null without one. */
  public @Nullable PodGrant reserved(String uid) {
    return holders.containsKey(uid) ? grants.find(uid).orElse(null) : null;
  }

  /** A pod without a grant uses these GPUs. */
  public void occupy(Occupant occupant, String node) {
    cluster.occupancy().put(occupant, node);
  }

  /** A pod without a grant uses this number of a node's GPUs. */
  public void occupy(WatchedPod pod, String node, int gpus) {
    cluster.occupancy().put(pod.uid(), node, pod.pod().toString(), gpus);
  }

  /** A pod without a grant uses no GPU. */
  public void vacate(String uid) {
    cluster.foreignClaims().disuse(uid);
    cluster.occupancy().remove(uid);
  }

  /** GPUs that a pod with this ResourceClaim may use; null for all. */
  public @Nullable Predicate<GpuSnapshot> claimable(@Nullable String claim) {
    return cluster.claims().filter(claim);
  }

  Map<String, String> holders() {
    return Map.copyOf(holders);
  }
}

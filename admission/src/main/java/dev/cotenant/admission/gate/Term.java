package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.fit.ClusterFit;
import dev.cotenant.admission.fit.Placements;
import dev.cotenant.admission.fit.Volumes;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.ForeignClaims;
import dev.cotenant.admission.inventory.GrantBook;
import dev.cotenant.admission.inventory.Inventory;
import dev.cotenant.admission.inventory.Occupancy;
import dev.cotenant.admission.ledger.PodGrant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state of one leader's term; nothing of it outlives the term. */
final class Term {
  /** Longest delay of events about pods that are gone. */
  private static final Duration LATE = Duration.ofHours(1);

  private static final int MANY = 10_000;

  final long number;
  final Instant begunAt;
  final Map<String, TrackedPod> pods = new LinkedHashMap<>();

  /** Gated pods, by uid. */
  final Map<String, TrackedPod> gated = new TreeMap<>();

  /** Ungated pods that their scheduler has yet to bind through the extender, by uid. */
  final Map<String, TrackedPod> released = new TreeMap<>();

  final Inventory inventory;
  final Occupancy occupancy;
  final Placements placements;
  final Volumes volumes = new Volumes();
  final ClusterFit fit;
  final GrantBook grants;
  final Claims claims;
  private final ForeignClaims foreignClaims;

  /** Tokens of reservations, by the uid of the pod that took them. */
  final Map<String, String> tokenHolders = new HashMap<>();

  /** Granted pods whose ResourceClaim may be missing, by uid. */
  final Set<String> unclaimed = new TreeSet<>();

  /** Pods that their scheduler may refuse, by uid. */
  final Set<String> unschedulable = new TreeSet<>();

  final AvoidedNodes avoided = new AvoidedNodes();

  private final Map<String, Instant> gone = new LinkedHashMap<>();

  Term(long number, Instant begunAt, GatePorts ports) {
    this.number = number;
    this.begunAt = begunAt;
    inventory = new Inventory(ports.products());
    occupancy = Occupancy.withNominations(inventory);
    placements = new Placements(occupancy::freedBesideGpus);
    fit = new ClusterFit(placements, volumes, inventory::nodes);
    claims = new Claims(this::refreshClaim);
    foreignClaims =
        new ForeignClaims(occupancy, claims::isUsed, node -> inventory.node(node).isPresent());
    grants = new GrantBook(inventory, occupancy, placements, ports.policies());
  }

  private void refreshClaim(String key) {
    foreignClaims.refresh(key);
  }

  /** Takes in a change beside GPU pods and nodes. */
  void apply(ClusterChange change) {
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

  /** The pod with this uid; null where it is gone. */
  @Nullable TrackedPod find(String uid) {
    return pods.get(uid);
  }

  /** The uid of the pod that took a token's grant. */
  Optional<String> holderOf(String token) {
    return tokenHolders.entrySet().stream()
        .filter(entry -> entry.getValue().equals(token))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The reservation that a pod took; null without one. */
  @Nullable PodGrant reserved(String uid) {
    return tokenHolders.containsKey(uid) ? grants.find(uid).orElse(null) : null;
  }

  /** Releases the grant of a gated pod; its reservation stays. */
  void release(String uid) {
    PodGrant reserved = reserved(uid);
    if (reserved == null) {
      grants.release(uid);
    } else {
      grants.put(reserved.in(new PodGrant.Bound()));
    }
  }

  /** Whether a pod is gone or finished, so that events about it are outdated. */
  boolean isGone(String uid) {
    return gone.containsKey(uid);
  }

  /** Removes a pod. */
  void forget(String uid, Instant now) {
    pods.remove(uid);
    placements.remove(uid);
    gated.remove(uid);
    released.remove(uid);
    unclaimed.remove(uid);
    gone.put(uid, now);
    if (gone.size() > MANY) {
      Instant late = now.minus(LATE);
      gone.values().removeIf(at -> at.isBefore(late));
    }
  }

  /** Pods that a write of this or of an earlier term may yet ungate or bind. */
  List<TrackedPod> unbound() {
    List<TrackedPod> unbound = new ArrayList<>(gated.values());
    unbound.addAll(released.values());
    return unbound;
  }

  /** Unbound pods that a write of an earlier term may have changed, or may yet change. */
  int unverified() {
    return (int)
        Stream.of(gated, released)
            .flatMap(pods -> pods.values().stream())
            .filter(pod -> pod.inFlight == InFlight.EARLIER_TERM)
            .count();
  }
}

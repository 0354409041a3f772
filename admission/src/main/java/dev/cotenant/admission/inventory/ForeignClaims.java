package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.ledger.Occupant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Occupies the GPUs of allocated ResourceClaims without a grant: of templates, created by hand, or
 * of deleted pods. A claimed GPU is occupied as a whole. A device that no ResourceSlice publishes
 * counts as one GPU of the node that its pool is named after.
 */
public final class ForeignClaims {
  private static final String OCCUPANT = "ResourceClaim ";

  private final Occupancy occupancy;
  private final Function<String, Set<String>> granted;
  private final Predicate<String> isNode;
  private final Map<String, ClaimedDevices> claims = new TreeMap<>();
  private final Map<String, PublishedDevices> slices = new HashMap<>();
  private final Map<DeviceName, Gpu> gpus = new HashMap<>();

  /** Slices that publish a GPU as divisible, by its uuid. */
  private final Map<String, Integer> divisible = new HashMap<>();

  /** Claims that hold a whole GPU, by the GPU's uuid. */
  private final Map<String, Set<String>> heldWhole = new HashMap<>();

  /** GPUs that each claim holds whole. */
  private final Map<String, Set<String>> wholeOf = new HashMap<>();

  /** Keys of occupants, by claim. */
  private final Map<String, List<String>> occupants = new HashMap<>();

  /** What counts pods without a grant anew, by claim and uid. */
  private final Map<String, Map<String, Runnable>> users = new HashMap<>();

  private final Map<String, String> claimOfUser = new HashMap<>();

  private record Gpu(String node, String uuid) {}

  /**
   * @param granted GPUs that granted pods account for, by claim; none where no pod uses it
   * @param isNode whether a node with GPUs has this name
   */
  public ForeignClaims(
      Occupancy occupancy, Function<String, Set<String>> granted, Predicate<String> isNode) {
    this.occupancy = occupancy;
    this.granted = granted;
    this.isNode = isNode;
  }

  /** Whether an occupant's key represents a claim. */
  public static boolean isClaim(String occupant) {
    return occupant.startsWith(OCCUPANT);
  }

  /**
   * Whether claims can have a part of the memory of a GPU: its driver allows it, and none holds it
   * whole.
   */
  public boolean isDivisible(String uuid) {
    return divisible.containsKey(uuid) && !heldWhole.containsKey(uuid);
  }

  /** The profiles of the MIG devices that are published of these nodes. */
  public Set<MigProfile> profiles(Predicate<String> node) {
    return slices.values().stream()
        .filter(slice -> node.test(slice.node()))
        .flatMap(slice -> slice.profiles().stream())
        .collect(Collectors.toSet());
  }

  /** Whether a claim occupies all GPUs of its pods, since none of its pods has a grant. */
  public boolean counts(String key) {
    return !occupants.getOrDefault(key, List.of()).isEmpty() && granted.apply(key).isEmpty();
  }

  /**
   * A pod without a grant uses a claim.
   *
   * @param recount counts the GPUs of the pod anew whenever {@link #counts} may have changed
   */
  public void use(String key, String uid, Runnable recount) {
    disuse(uid);
    claimOfUser.put(uid, key);
    users.computeIfAbsent(key, _ -> new TreeMap<>()).put(uid, recount);
  }

  /** Stops counting a pod as a user of its claim. */
  public void disuse(String uid) {
    String key = claimOfUser.remove(uid);
    if (key != null) {
      users.computeIfPresent(
          key,
          (_, uids) -> {
            uids.remove(uid);
            return uids.isEmpty() ? null : uids;
          });
    }
  }

  public void put(ClaimedDevices claim) {
    claims.put(claim.key(), claim);
    refresh(claim.key());
  }

  public void removeClaim(String key) {
    claims.remove(key);
    refresh(key);
  }

  public void put(PublishedDevices slice) {
    forget(slice.slice());
    slices.put(slice.slice(), slice);
    slice.uuids().forEach((device, uuid) -> gpus.put(device, new Gpu(slice.node(), uuid)));
    slice.divisible().forEach(uuid -> divisible.merge(uuid, 1, Integer::sum));
    refreshAll();
  }

  public void removeSlice(String name) {
    forget(name);
    refreshAll();
  }

  private void forget(String slice) {
    PublishedDevices before = slices.remove(slice);
    if (before != null) {
      before.uuids().keySet().forEach(gpus::remove);
      before
          .divisible()
          .forEach(uuid ->
              divisible.computeIfPresent(uuid, (_, count) -> count == 1 ? null : count - 1));
    }
  }

  private void refreshAll() {
    List.copyOf(claims.keySet()).forEach(this::refresh);
  }

  /** Occupies or frees the GPUs of a claim. */
  public void refresh(String key) {
    occupants.getOrDefault(key, List.of()).forEach(occupancy::remove);
    occupants.remove(key);
    Set<String> wholeBefore = wholeOf.remove(key);
    if (wholeBefore != null) {
      wholeBefore.forEach(gpu -> heldWhole.computeIfPresent(gpu, (_, keys) -> without(keys, key)));
      occupancy.freedElsewhere();
    }
    ClaimedDevices claim = claims.get(key);
    if (claim != null) {
      hold(claim);
      occupants.put(key, occupy(claim));
    }
    List.copyOf(users.getOrDefault(key, Map.of()).values()).forEach(Runnable::run);
  }

  private static @Nullable Set<String> without(Set<String> keys, String key) {
    keys.remove(key);
    return keys.isEmpty() ? null : keys;
  }

  private void hold(ClaimedDevices claim) {
    for (DeviceName device : claim.devices()) {
      Gpu gpu = gpus.get(device);
      if (gpu != null && !claim.parts().contains(device)) {
        wholeOf.computeIfAbsent(claim.key(), _ -> new HashSet<>()).add(gpu.uuid());
        heldWhole.computeIfAbsent(gpu.uuid(), _ -> new HashSet<>()).add(claim.key());
      }
    }
  }

  /** Occupies a claim's devices beyond the grants and returns the occupants' keys. */
  private List<String> occupy(ClaimedDevices claim) {
    String holder = OCCUPANT + claim.key();
    Set<String> accounted = granted.apply(claim.key());
    Map<String, Set<String>> known = new TreeMap<>();
    Map<String, Integer> unknown = new TreeMap<>();
    for (DeviceName device : claim.devices()) {
      Gpu gpu = gpus.get(device);
      if (gpu == null) {
        unknown.merge(device.pool(), 1, Integer::sum);
      } else if (!accounted.contains(gpu.uuid())) {
        known.computeIfAbsent(gpu.node(), _ -> new TreeSet<>()).add(gpu.uuid());
      }
    }
    List<String> made = new ArrayList<>();
    known.forEach((node, uuids) -> {
      String occupant = holder + " on " + node;
      made.add(occupant);
      occupancy.put(new Occupant(occupant, List.copyOf(uuids), new Occupant.Alone(holder)), node);
    });
    unknown.forEach((pool, count) -> {
      if (accounted.isEmpty() && isNode.test(pool)) {
        String occupant = holder + " somewhere on " + pool;
        made.add(occupant);
        occupancy.put(occupant, pool, holder, count);
      }
    });
    return made;
  }
}

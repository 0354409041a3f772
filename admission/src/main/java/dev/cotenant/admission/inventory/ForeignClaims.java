package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.ledger.Occupant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Occupies the GPUs of allocated ResourceClaims without a grant: of templates, made by hand, or of
 * pods that are gone. A claimed GPU is occupied as a whole. A device that no ResourceSlice
 * publishes counts as one GPU of the node that its pool is named after.
 */
public final class ForeignClaims {
  private static final String OCCUPANT = "ResourceClaim ";

  private final Occupancy occupancy;
  private final Predicate<String> granted;
  private final Predicate<String> isNode;
  private final Map<String, ClaimedDevices> claims = new TreeMap<>();
  private final Map<String, PublishedDevices> slices = new HashMap<>();
  private final Map<DeviceName, Gpu> gpus = new HashMap<>();

  /** Slices that publish a GPU as divisible, by its uuid. */
  private final Map<String, Integer> divisible = new HashMap<>();

  /** Keys of occupants, by claim. */
  private final Map<String, List<String>> occupants = new HashMap<>();

  private record Gpu(String node, String uuid) {}

  /**
   * @param granted whether granted pods account for a claim
   * @param isNode whether this is the name of a node with GPUs
   */
  public ForeignClaims(Occupancy occupancy, Predicate<String> granted, Predicate<String> isNode) {
    this.occupancy = occupancy;
    this.granted = granted;
    this.isNode = isNode;
  }

  /** Whether this is the key of an occupant that stands for a claim. */
  public static boolean isClaim(String occupant) {
    return occupant.startsWith(OCCUPANT);
  }

  /** Whether its driver lets several claims have a part of the memory of a GPU. */
  public boolean isDivisible(String uuid) {
    return divisible.containsKey(uuid);
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
    String holder = OCCUPANT + key;
    occupants.getOrDefault(key, List.of()).forEach(occupancy::remove);
    occupants.remove(key);
    ClaimedDevices claim = claims.get(key);
    if (claim == null || granted.test(key)) {
      return;
    }
    Map<String, Set<String>> known = new TreeMap<>();
    Map<String, Integer> unknown = new TreeMap<>();
    for (DeviceName device : claim.devices()) {
      Optional.ofNullable(gpus.get(device))
          .ifPresentOrElse(
              gpu -> known.computeIfAbsent(gpu.node(), _ -> new TreeSet<>()).add(gpu.uuid()),
              () -> unknown.merge(device.pool(), 1, Integer::sum));
    }
    List<String> made = new ArrayList<>();
    known.forEach((node, uuids) -> {
      String occupant = holder + " on " + node;
      made.add(occupant);
      occupancy.put(new Occupant(occupant, List.copyOf(uuids), new Occupant.Alone(holder)), node);
    });
    unknown.forEach((pool, count) -> {
      if (isNode.test(pool)) {
        String occupant = holder + " somewhere on " + pool;
        made.add(occupant);
        occupancy.put(occupant, pool, holder, count);
      }
    });
    occupants.put(key, made);
  }
}

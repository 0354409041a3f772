package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which GPUs the claims of granted pods select. Pods share a GPU exactly when they name the same
 * claim, see {@link dev.cotenant.admission.assignment.ResourceClaims}, or where their claims
 * request a part of a device whose driver lets several have it.
 */
public final class Claims {
  private static final String OF_CAPACITY = "capacity of ";

  private final Map<String, Map<String, Set<String>>> gpusByClaim = new HashMap<>();

  /** Uids of granted pods whose claims take a GPU whole, by its uuid. */
  private final Map<String, Set<String>> takenWhole = new HashMap<>();

  private final Consumer<String> changed;
  private final Predicate<String> isDivisible;
  private final Predicate<String> divides;

  /**
   * @param changed receives claims that granted pods begin or cease to use
   * @param isDivisible whether several claims may have the GPU of this uuid
   * @param divides whether claims for shares in a namespace request a part of a GPU
   */
  public Claims(
      Consumer<String> changed, Predicate<String> isDivisible, Predicate<String> divides) {
    this.changed = changed;
    this.isDivisible = isDivisible;
    this.divides = divides;
  }

  /** A claim that requests a part of a device. */
  public static String ofCapacity(String claim) {
    return OF_CAPACITY + claim;
  }

  /** The GPUs that granted pods have by a claim; none where no pod uses it. */
  public Set<String> gpus(String claim) {
    return gpusByClaim.getOrDefault(claim, Map.of()).values().stream()
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }

  /** Claim named by each pod at its grant, by uid; the pod may name a different claim now. */
  private final Map<String, String> claimOf = new HashMap<>();

  /** The claim that a pod names, with its namespace. */
  public static Optional<String> named(WatchedPod pod) {
    return Optional.ofNullable(pod.annotations().get(CotenantAnnotations.RESOURCE_CLAIM))
        .map(name -> pod.pod().namespace() + "/" + name);
  }

  public void put(WatchedPod pod, PodGrant grant) {
    remove(grant.key());
    named(pod)
        .ifPresent(claim -> {
          claimOf.put(grant.key(), claim);
          gpusByClaim
              .computeIfAbsent(claim, _ -> new HashMap<>())
              .put(grant.key(), new TreeSet<>(grant.gpus()));
          if (grant.extent() == Extent.WHOLE || !divides.test(pod.pod().namespace())) {
            grant
                .gpus()
                .forEach(
                    gpu -> takenWhole.computeIfAbsent(gpu, _ -> new HashSet<>()).add(grant.key()));
          }
          changed.accept(claim);
        });
  }

  /** A pod uses none any more, whichever it names now. */
  public void remove(String uid) {
    String claim = claimOf.remove(uid);
    if (claim != null) {
      Map<String, Set<String>> users = gpusByClaim.getOrDefault(claim, new HashMap<>());
      for (String gpu : users.getOrDefault(uid, Set.of())) {
        takenWhole.computeIfPresent(gpu, (_, uids) -> without(uids, uid));
      }
      users.remove(uid);
      if (users.isEmpty()) {
        gpusByClaim.remove(claim);
      }
      changed.accept(claim);
    }
  }

  private static @Nullable Set<String> without(Set<String> uids, String uid) {
    uids.remove(uid);
    return uids.isEmpty() ? null : uids;
  }

  /** GPUs that a pod with this claim may use; null for all. */
  public @Nullable Predicate<GpuSnapshot> filter(@Nullable String claim) {
    if (claim == null) {
      return null;
    }
    boolean ofCapacity = claim.startsWith(OF_CAPACITY);
    Map<String, Set<String>> users =
        gpusByClaim.get(ofCapacity ? claim.substring(OF_CAPACITY.length()) : claim);
    if (users == null && ofCapacity) {
      return gpu -> isDivisible.test(gpu.uuid()) && !takenWhole.containsKey(gpu.uuid());
    }
    if (users == null) {
      return gpu -> gpu.tenancy() instanceof Tenancy.Shared shared && shared.tenants().isEmpty();
    }
    Set<String> selected = users.values().iterator().next();
    return gpu -> selected.contains(gpu.uuid());
  }
}

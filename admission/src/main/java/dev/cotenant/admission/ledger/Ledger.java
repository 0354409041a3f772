package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this process: HELD from the decision on, BOUND once the pod exists, gone when it is
 * deleted or when a HELD grant is not confirmed in time.
 *
 * <p>Deciding and recording is one step under one lock, so that two pods are never granted the same
 * room. Snapshots given here must not count the ledger's own pods as tenants; their used memory
 * they do show, as everybody's. Safe for use by many threads.
 */
public final class Ledger {
  /** How long a grant waits for its pod. */
  public static final Duration DEFAULT_HOLD = Duration.ofMinutes(2);

  private final Object lock = new Object();
  private final InstantSource clock;
  private final Duration hold;
  private final Map<String, LedgerEntry> byToken = new LinkedHashMap<>();

  /**
   * @param clock tells when grants lapse
   * @param hold how long a grant waits for its pod; positive
   */
  public Ledger(InstantSource clock, Duration hold) {
    if (!hold.isPositive()) {
      throw new IllegalArgumentException("hold must be positive, is " + hold);
    }
    this.clock = clock;
    this.hold = hold;
  }

  /**
   * Decides on what the snapshot and all grants leave, and holds what is granted.
   *
   * @throws IllegalArgumentException when the token has a grant already
   */
  public Decision decideAndHold(
      Claim claim, ClusterSnapshot snapshot, Function<ClusterSnapshot, Decision> decide) {
    synchronized (lock) {
      Decision decision = decide.apply(overlaid(snapshot));
      if (decision instanceof Decision.Admitted admitted) {
        if (byToken.containsKey(claim.token())) {
          throw new IllegalArgumentException("token " + claim.token() + " has a grant already");
        }
        Instant now = clock.instant();
        byToken.put(
            claim.token(),
            new LedgerEntry(claim, admitted, now, new LedgerEntry.Held(now.plus(hold))));
      }
      return decision;
    }
  }

  /** The snapshot with all grants as tenants; whole grants hold their GPUs exclusively. */
  public ClusterSnapshot overlay(ClusterSnapshot snapshot) {
    synchronized (lock) {
      return overlaid(snapshot);
    }
  }

  /** Whether this pod's grant waits for it under this token. */
  public boolean holdsFor(String token, PodIdentity pod) {
    synchronized (lock) {
      return entry(token)
          .filter(entry -> entry.state() instanceof LedgerEntry.Held)
          .filter(entry -> entry.claim().pod().mayBecome(pod))
          .isPresent();
    }
  }

  /** The grant of this token, if it has not lapsed. */
  public Optional<LedgerEntry> find(String token) {
    synchronized (lock) {
      return entry(token);
    }
  }

  /**
   * Confirms that the pod exists; HELD becomes BOUND.
   *
   * @return whether the grant is this pod's; repeating a confirmation is harmless
   */
  public boolean bind(String token, PodIdentity pod, String uid) {
    synchronized (lock) {
      @Nullable LedgerEntry entry = entry(token).orElse(null);
      if (entry == null || !entry.claim().pod().mayBecome(pod)) {
        return false;
      }
      return switch (entry.state()) {
        case LedgerEntry.Held _ -> {
          byToken.put(token, entry.boundTo(pod, uid));
          yield true;
        }
        case LedgerEntry.Bound(String boundUid) -> boundUid.equals(uid);
      };
    }
  }

  /**
   * Gives back what the pod holds; a token that is somebody else's is left alone.
   *
   * @return whether there was something to give back
   */
  public boolean release(String token, PodIdentity pod) {
    synchronized (lock) {
      return entry(token).filter(entry -> entry.claim().pod().mayBecome(pod)).isPresent()
          && byToken.remove(token) != null;
    }
  }

  /** All grants that have not lapsed, oldest first. */
  public List<LedgerEntry> entries() {
    synchronized (lock) {
      dropLapsed();
      return List.copyOf(byToken.values());
    }
  }

  private Optional<LedgerEntry> entry(String token) {
    dropLapsed();
    return Optional.ofNullable(byToken.get(token));
  }

  private void dropLapsed() {
    Instant now = clock.instant();
    byToken.values().removeIf(entry -> entry.hasLapsed(now));
  }

  private ClusterSnapshot overlaid(ClusterSnapshot snapshot) {
    dropLapsed();
    if (byToken.isEmpty()) {
      return snapshot;
    }
    Map<String, GpuSnapshot> byUuid = new HashMap<>();
    snapshot.gpus().forEach(gpu -> byUuid.put(gpu.uuid(), gpu));
    for (LedgerEntry entry : byToken.values()) {
      for (Grant grant : entry.admitted().grants()) {
        byUuid.computeIfPresent(
            grant.gpuUuid(),
            (_, gpu) -> {
              Tenancy after = entry.addTo(gpu.tenancy(), grant);
              return gpu.withTenancy(after);
            });
      }
    }
    List<GpuSnapshot> gpus =
        snapshot.gpus().stream().map(gpu -> byUuid.getOrDefault(gpu.uuid(), gpu)).toList();
    return new ClusterSnapshot(snapshot.takenAt(), gpus);
  }
}

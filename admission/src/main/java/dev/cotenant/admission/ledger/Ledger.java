package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this process: HELD from the decision on, BOUND once the pod exists, gone when it is
 * deleted or when a HELD grant is not confirmed in time.
 *
 * <p>Deciding and recording is one step under one lock, so that two pods are never granted the same
 * capacity. Snapshots given here must not count the ledger's own pods as tenants; their used memory
 * they do show, as everybody's. Safe for use by many threads.
 */
public final class Ledger {
  /** How long a grant waits for its pod. */
  public static final Duration DEFAULT_HOLD = Duration.ofMinutes(2);

  private final Object lock = new Object();
  private final InstantSource clock;
  private final Duration hold;
  private final Map<String, LedgerEntry> byToken = new LinkedHashMap<>();

  /** Tokens of what is HELD. */
  private final Set<String> waiting = new LinkedHashSet<>();

  private final Overlay overlay = new Overlay();

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
        put(new LedgerEntry(claim, admitted, now, new LedgerEntry.Held(now.plus(hold))));
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

  /** The grant that waits for this pod under this token. */
  public Optional<LedgerEntry> heldFor(String token, PodIdentity pod) {
    synchronized (lock) {
      return entry(token)
          .filter(entry -> entry.state() instanceof LedgerEntry.Held)
          .filter(entry -> entry.claim().pod().mayBecome(pod));
    }
  }

  /** The grant of this token, if it has not lapsed. */
  public Optional<LedgerEntry> find(String token) {
    synchronized (lock) {
      return entry(token);
    }
  }

  /** What became of a confirmation. */
  public sealed interface Binding {}

  /** The grant is this pod's; repeating a confirmation is harmless. */
  public record Confirmed() implements Binding {}

  /** The grant is this pod's, but not for what it asks for by now; one that was held is gone. */
  public record Conflict(List<Difference> differences) implements Binding {}

  /** There is no such grant, or it is somebody else's. */
  public record NoGrant() implements Binding {}

  /** Confirms that the pod exists, as it was granted capacity for; HELD becomes BOUND. */
  public Binding bind(String token, Colocatable pod, String uid) {
    synchronized (lock) {
      @Nullable LedgerEntry entry = entry(token).orElse(null);
      if (entry == null || !entry.claim().pod().mayBecome(pod.pod())) {
        return new NoGrant();
      }
      List<Difference> differences = entry.differencesOf(pod);
      return switch (entry.state()) {
        case LedgerEntry.Held _ when !differences.isEmpty() -> {
          remove(token);
          yield new Conflict(differences);
        }
        case LedgerEntry.Held _ -> {
          put(entry.boundTo(pod.pod(), new LedgerEntry.Bound(uid, clock.instant())));
          yield new Confirmed();
        }
        case LedgerEntry.Bound _ when !entry.isBoundTo(uid) -> new NoGrant();
        case LedgerEntry.Bound _ ->
            differences.isEmpty() ? new Confirmed() : new Conflict(differences);
      };
    }
  }

  /**
   * Confirms for a pod that was made by whoever holds the token, whatever its name.
   *
   * @return what was granted; empty where the token has no grant, or another pod's
   */
  public Optional<LedgerEntry> bindHolder(String token, PodIdentity pod, String uid) {
    synchronized (lock) {
      @Nullable LedgerEntry entry = entry(token).orElse(null);
      if (entry == null || (entry.state() instanceof LedgerEntry.Bound && !entry.isBoundTo(uid))) {
        return Optional.empty();
      }
      if (entry.state() instanceof LedgerEntry.Held) {
        put(entry.boundTo(pod, new LedgerEntry.Bound(uid, clock.instant())));
      }
      return entry(token);
    }
  }

  /** Gives back what this token holds; whether there was something. */
  public boolean release(String token) {
    synchronized (lock) {
      return remove(token);
    }
  }

  /**
   * Gives back what waits for the pod under this token; a token that is somebody else's is left
   * alone.
   *
   * @return whether there was something to give back
   */
  public boolean releaseHeld(String token, PodIdentity pod) {
    synchronized (lock) {
      return heldFor(token, pod).isPresent() && remove(token);
    }
  }

  /**
   * Gives back what a pod holds that has come to its end.
   *
   * <p>What was bound to a pod of the same name goes with it: two pods never have one name, so that
   * one was refused after validation (a quota, the name taken) or ended unseen. Only one that was
   * bound longer ago than a grant waits for its pod is taken for that; a younger one may still be
   * on its way.
   *
   * @return whether there was something to give back
   */
  public boolean releaseEnded(PodIdentity pod, String uid) {
    synchronized (lock) {
      Instant earliest = clock.instant().minus(hold);
      return removeAll(
          byToken.keySet(),
          entry ->
              entry.claim().pod().isNamed(pod)
                  && (entry.isBoundTo(uid) || entry.wasBoundBefore(earliest)));
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
    removeAll(waiting, entry -> entry.isExpired(now));
  }

  private ClusterSnapshot overlaid(ClusterSnapshot snapshot) {
    dropLapsed();
    return overlay.on(snapshot);
  }

  private void put(LedgerEntry entry) {
    String token = entry.claim().token();
    byToken.put(token, entry);
    overlay.put(entry.occupant());
    if (entry.state() instanceof LedgerEntry.Held) {
      waiting.add(token);
    } else {
      waiting.remove(token);
    }
  }

  private boolean remove(String token) {
    LedgerEntry entry = byToken.remove(token);
    if (entry == null) {
      return false;
    }
    waiting.remove(token);
    overlay.remove(token);
    return true;
  }

  /** Whether there were any. */
  private boolean removeAll(Collection<String> tokens, Predicate<LedgerEntry> which) {
    List<String> gone =
        tokens.stream()
            .filter(token -> which.test(Objects.requireNonNull(byToken.get(token))))
            .toList();
    gone.forEach(this::remove);
    return !gone.isEmpty();
  }
}

package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
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
 * The grants of this process: ALLOCATED by the decision, BOUND once the pod exists, released at its
 * deletion or when an ALLOCATED grant is not confirmed in time.
 *
 * <p>Decision and allocation are one step under one lock, so no two pods get the same capacity.
 * Snapshots given here must not count the ledger's own pods as tenants; the used memory of these
 * pods is part of the snapshot. Safe for use by many threads.
 */
public final class Ledger {
  /** The time until an unconfirmed grant expires. */
  public static final Duration DEFAULT_HOLD = Duration.ofMinutes(2);

  private final Object lock = new Object();
  private final InstantSource clock;
  private final Duration hold;
  private final Creation creation;
  private final Map<String, LedgerEntry> byAdmissionId = new LinkedHashMap<>();

  /** Admission ids of ALLOCATED grants. */
  private final Set<String> unconfirmed = new LinkedHashSet<>();

  /** Admission ids of grants on reviews whose pods were not seen. */
  private final Set<String> open = new LinkedHashSet<>();

  /** Admission ids of grants whose pods have ended by a review. */
  private final Set<String> doubted = new LinkedHashSet<>();

  private final Overlay overlay = new Overlay();
  private int turn;

  /**
   * @param clock for expiry
   * @param hold time until an unconfirmed grant expires; positive
   */
  public Ledger(InstantSource clock, Duration hold) {
    this(clock, hold, Creation.unseen(hold));
  }

  /** As {@link #Ledger(InstantSource, Duration)}, with bounds on grants on reviews. */
  public Ledger(InstantSource clock, Duration hold, Creation creation) {
    if (!hold.isPositive()) {
      throw new IllegalArgumentException("hold must be positive, is " + hold);
    }
    this.clock = clock;
    this.hold = hold;
    this.creation = creation;
  }

  /**
   * Bounds on grants on reviews, which anybody may send where the webhooks have open ports.
   *
   * @param confirmed time from the first review of a pod to the last one
   * @param stored time from the last review to the pod in the API server, which also bounds the
   *     answers of other webhooks
   * @param open most grants of a namespace whose pods were not seen
   */
  public record Creation(Duration confirmed, Duration stored, int open) {
    /** Where pods are looked up: webhooks answer within 30 seconds, and a request within 60. */
    public static final Creation IN_CLUSTER =
        new Creation(Duration.ofSeconds(15), Duration.ofSeconds(35), 20);

    /** Where nobody looks pods up: a confirmation counts as one. */
    static Creation unseen(Duration hold) {
      return new Creation(hold, Duration.ZERO, Integer.MAX_VALUE);
    }

    /** Whether pods are looked up. */
    boolean isSeen() {
      return stored.isPositive();
    }
  }

  /**
   * Decides on what all grants leave, and allocates the admitted capacity.
   *
   * @throws IllegalArgumentException when the admission id has a grant already
   */
  public Decision decideAndAllocate(
      CapacityRequest capacityRequest,
      ClusterSnapshot snapshot,
      Function<ClusterSnapshot, Decision> decide) {
    synchronized (lock) {
      return allocate(capacityRequest, hold, decide.apply(overlaid(snapshot)));
    }
  }

  /**
   * As {@link #decideAndAllocate}, for a pod that a review shows: it has to appear within seconds,
   * and a namespace has a bounded number of such grants until then.
   */
  public Decision decideOnReview(
      CapacityRequest capacityRequest,
      ClusterSnapshot snapshot,
      Function<ClusterSnapshot, Decision> decide) {
    synchronized (lock) {
      dropExpired();
      String namespace = capacityRequest.pod().namespace();
      long standing =
          open.stream()
              .map(byAdmissionId::get)
              .filter(entry ->
                  entry != null && entry.capacityRequest().pod().namespace().equals(namespace))
              .count();
      if (standing >= creation.open()) {
        return new Decision.Held(List.of(new Reason.OpenGrants((int) standing)));
      }
      Decision decision =
          allocate(capacityRequest, creation.confirmed(), decide.apply(overlaid(snapshot)));
      if (decision instanceof Decision.Admitted) {
        open.add(capacityRequest.admissionId());
      }
      return decision;
    }
  }

  private Decision allocate(CapacityRequest capacityRequest, Duration wait, Decision decision) {
    if (decision instanceof Decision.Admitted admitted) {
      if (byAdmissionId.containsKey(capacityRequest.admissionId())) {
        throw new IllegalArgumentException(
            "admission id " + capacityRequest.admissionId() + " has a grant already");
      }
      Instant now = clock.instant();
      put(
          new LedgerEntry(
              capacityRequest, admitted, now, new LedgerEntry.Allocated(now.plus(wait))));
    }
    return decision;
  }

  /**
   * A bound grant whose pod needs a lookup.
   *
   * @param admissionId required annotation of the pod, which excludes a different pod of the same
   *     name; null for observed pods and for grants of reservations
   */
  public record Due(LedgerEntry grant, @Nullable String admissionId) {}

  /**
   * Grants whose pods need a lookup: unobserved ones, ones reported as ended, and some of the
   * others in turn.
   *
   * @param others most of the others
   */
  public List<Due> due(int others) {
    synchronized (lock) {
      List<Due> due = new ArrayList<>();
      List<LedgerEntry> rest = new ArrayList<>();
      byAdmissionId.forEach((admissionId, entry) -> {
        if (!(entry.state() instanceof LedgerEntry.Bound)) {
          return;
        }
        if (open.contains(admissionId)) {
          due.add(new Due(entry, admissionId));
        } else if (doubted.contains(admissionId)) {
          due.add(new Due(entry, null));
        } else {
          rest.add(entry);
        }
      });
      for (int i = 0; i < Math.min(others, rest.size()); i++) {
        due.add(new Due(rest.get(Math.floorMod(turn++, rest.size())), null));
      }
      return due;
    }
  }

  /** The grant's pod exists in the API server. */
  public void seen(LedgerEntry grant) {
    synchronized (lock) {
      open.remove(grant.capacityRequest().admissionId());
      doubted.remove(grant.capacityRequest().admissionId());
    }
  }

  /**
   * The pod of this grant is not in the API server: the grant is released unless its pod may still
   * be on its way.
   *
   * @return whether it was
   */
  public boolean missing(LedgerEntry grant) {
    synchronized (lock) {
      String admissionId = grant.capacityRequest().admissionId();
      return grant.equals(byAdmissionId.get(admissionId))
          && grant.wasBoundBefore(clock.instant().minus(creation.stored()))
          && remove(admissionId);
    }
  }

  /** The snapshot with all grants as tenants; whole grants make their GPUs exclusive. */
  public ClusterSnapshot overlay(ClusterSnapshot snapshot) {
    synchronized (lock) {
      return overlaid(snapshot);
    }
  }

  /** The unconfirmed grant of this pod under this admission id. */
  public Optional<LedgerEntry> allocatedFor(String admissionId, PodIdentity pod) {
    synchronized (lock) {
      return entry(admissionId)
          .filter(entry -> entry.state() instanceof LedgerEntry.Allocated)
          .filter(entry -> entry.capacityRequest().pod().mayBecome(pod));
    }
  }

  /** The grant of this admission id, unless it has expired. */
  public Optional<LedgerEntry> find(String admissionId) {
    synchronized (lock) {
      return entry(admissionId);
    }
  }

  /** The result of a confirmation. */
  public sealed interface Binding {}

  /** The pod has the grant; idempotent. */
  public record Confirmed() implements Binding {}

  /** The pod has the grant, but its request has changed; an unconfirmed grant is released. */
  public record Conflict(List<Difference> differences) implements Binding {}

  /** No such grant, or that of another pod. */
  public record NoGrant() implements Binding {}

  /** Binds the grant to the existing pod: ALLOCATED becomes BOUND. */
  public Binding bind(String admissionId, Colocatable pod, String uid) {
    synchronized (lock) {
      @Nullable LedgerEntry entry = entry(admissionId).orElse(null);
      if (entry == null || !entry.capacityRequest().pod().mayBecome(pod.pod())) {
        return new NoGrant();
      }
      List<Difference> differences = entry.differencesOf(pod);
      return switch (entry.state()) {
        case LedgerEntry.Allocated _ when !differences.isEmpty() -> {
          remove(admissionId);
          yield new Conflict(differences);
        }
        case LedgerEntry.Allocated _ -> {
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
   * Binds the grant to a pod of any name.
   *
   * @return the grant; empty without one, or where it is another pod's
   */
  public Optional<LedgerEntry> bindHolder(String admissionId, PodIdentity pod, String uid) {
    synchronized (lock) {
      @Nullable LedgerEntry entry = entry(admissionId).orElse(null);
      if (entry == null || (entry.state() instanceof LedgerEntry.Bound && !entry.isBoundTo(uid))) {
        return Optional.empty();
      }
      if (entry.state() instanceof LedgerEntry.Allocated) {
        put(entry.boundTo(pod, new LedgerEntry.Bound(uid, clock.instant())));
      }
      return entry(admissionId);
    }
  }

  /** Releases the grant of an admission id; returns whether it existed and had not expired. */
  public boolean release(String admissionId) {
    synchronized (lock) {
      dropExpired();
      return remove(admissionId);
    }
  }

  /**
   * Releases the unconfirmed grant of this pod under this admission id.
   *
   * @return whether there was one
   */
  public boolean releaseAllocated(String admissionId, PodIdentity pod) {
    synchronized (lock) {
      return allocatedFor(admissionId, pod).isPresent() && remove(admissionId);
    }
  }

  /**
   * Releases the grant of a pod that has ended.
   *
   * <p>A grant bound to another pod of the same name is released too: names are unique, so that pod
   * was refused after validation (a quota, the name taken) or ended unseen. Only one that was bound
   * longer ago than an unconfirmed grant waits counts as such; a younger pod may still be on its
   * way. Where pods are looked up, reviews release nothing and lead to a look.
   *
   * @return whether a grant was released
   */
  public boolean releaseEnded(PodIdentity pod, String uid) {
    synchronized (lock) {
      if (creation.isSeen()) {
        byAdmissionId.forEach((admissionId, entry) -> {
          if (entry.capacityRequest().pod().isNamed(pod)) {
            doubted.add(admissionId);
          }
        });
        return false;
      }
      Instant earliest = clock.instant().minus(hold);
      return removeAll(
          byAdmissionId.keySet(),
          entry ->
              entry.capacityRequest().pod().isNamed(pod)
                  && (entry.isBoundTo(uid) || entry.wasBoundBefore(earliest)));
    }
  }

  /** All current grants, oldest first. */
  public List<LedgerEntry> entries() {
    synchronized (lock) {
      dropExpired();
      return List.copyOf(byAdmissionId.values());
    }
  }

  private Optional<LedgerEntry> entry(String admissionId) {
    dropExpired();
    return Optional.ofNullable(byAdmissionId.get(admissionId));
  }

  private void dropExpired() {
    Instant now = clock.instant();
    removeAll(unconfirmed, entry -> entry.isExpired(now));
  }

  private ClusterSnapshot overlaid(ClusterSnapshot snapshot) {
    dropExpired();
    return overlay.on(snapshot);
  }

  private void put(LedgerEntry entry) {
    String admissionId = entry.capacityRequest().admissionId();
    byAdmissionId.put(admissionId, entry);
    overlay.put(entry.occupant());
    if (entry.state() instanceof LedgerEntry.Allocated) {
      unconfirmed.add(admissionId);
    } else {
      unconfirmed.remove(admissionId);
      if (!creation.isSeen()) {
        open.remove(admissionId);
      }
    }
  }

  private boolean remove(String admissionId) {
    LedgerEntry entry = byAdmissionId.remove(admissionId);
    if (entry == null) {
      return false;
    }
    unconfirmed.remove(admissionId);
    open.remove(admissionId);
    doubted.remove(admissionId);
    overlay.remove(admissionId);
    return true;
  }

  /** Whether there were any. */
  private boolean removeAll(Collection<String> ids, Predicate<LedgerEntry> which) {
    List<String> gone =
        ids.stream()
            .filter(
                admissionId -> which.test(Objects.requireNonNull(byAdmissionId.get(admissionId))))
            .toList();
    gone.forEach(this::remove);
    return !gone.isEmpty();
  }
}

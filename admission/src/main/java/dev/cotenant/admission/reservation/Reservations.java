package dev.cotenant.admission.reservation;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.CapacityLedger.Allocation;
import dev.cotenant.admission.decision.LargestBatch;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.reservation.Confirmation.Changed;
import dev.cotenant.admission.reservation.Confirmation.Confirmed;
import dev.cotenant.admission.reservation.Confirmation.Expired;
import dev.cotenant.admission.reservation.Confirmation.OtherPod;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.Granted;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import dev.cotenant.admission.reservation.StoreFailedException.Certainty;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves capacity for callers that create their pods themselves.
 *
 * <p>A request has an idempotency key: the same key and request give the same reservation, or the
 * same refusal for as long as a reservation would wait. Decision and allocation are one step of the
 * ledger, and a reservation is persisted before the caller receives it. Where the outcome of that
 * write is unknown, the caller gets an error and the capacity stays allocated until it expires; a
 * repeated request persists it again. Safe for use by many threads.
 */
public final class Reservations {
  private final PodDecisions decisions;
  private final CapacityLedger capacity;
  private final Ports ports;
  private final ReservationIndex index;

  /**
   * The dependencies of reservations.
   *
   * @param store persists them
   * @param ids makes unguessable ids
   */
  public record Ports(ReservationStore store, InstantSource clock, Supplier<String> ids) {}

  /** Reservations on this ledger. */
  public Reservations(PodDecisions decisions, CapacityLedger capacity, Ports ports) {
    this.decisions = decisions;
    this.capacity = capacity;
    this.ports = ports;
    this.index = new ReservationIndex();
    ports.store().onClaimed(this::restore);
  }

  /**
   * A request to reserve.
   *
   * @param key its idempotency key
   * @param pod the pod that needs capacity
   */
  public record Request(RequestKey key, Colocatable pod) {}

  /**
   * Reserves capacity.
   *
   * @throws dev.cotenant.admission.capacity.NotLeadingException where this process does not decide
   * @throws StoreFailedException when it cannot be persisted; a retry is safe
   */
  public ReservationOutcome reserve(Request request) {
    synchronized (index.lockOf(request.key().named())) {
      Instant now = ports.clock().instant();
      long term = capacity.term(); // only the leader's index is current
      ReservationOutcome known = index.answer(request.key(), now).orElse(null);
      if (known instanceof Reserved(Reservation made) && index.isUnpersisted(made)) {
        if (holds(made)) {
          persist(made, term);
          return known;
        }
        index.forget(made);
        known = null;
      }
      return known == null ? reserveAnew(request, term, now) : known;
    }
  }

  private ReservationOutcome reserveAnew(Request request, long term, Instant now) {
    PodDecisions.Prepared prepared = decisions.prepare(request.pod(), capacity.withGrants());
    String id = ports.ids().get();
    Allocation allocation = capacity.allocate(new CapacityRequest(id, request.pod()), prepared::on);
    return switch (allocation.decision()) {
      case Decision.Admitted admitted -> {
        Reservation made =
            new Reservation(
                id,
                request.key(),
                request.pod(),
                Granted.of(admitted),
                now,
                allocation.until(),
                1,
                null);
        index.put(made, this::holds);
        persistNew(made, term);
        yield new Reserved(made);
      }
      case Decision.Held held -> refuse(request, held, now);
      case Decision.Denied denied -> refuse(request, denied, now);
    };
  }

  private void persistNew(Reservation made, long term) {
    try {
      persist(made, term);
    } catch (StoreFailedException e) {
      if (e.certainty() == Certainty.NOT_DONE) {
        index.forget(made);
        capacity.release(made.id());
      }
      throw e;
    }
  }

  private void persist(Reservation reservation, long term) {
    ports.store().put(reservation, term);
    index.markPersisted(reservation);
  }

  private boolean holds(Reservation reservation) {
    return capacity.state(reservation.id()) != GrantState.RELEASED;
  }

  private Refused refuse(Request request, Decision decision, Instant now) {
    ClusterSnapshot cluster = capacity.withGrants();
    Function<Colocatable, Decision> decide = pod -> decisions.prepare(pod, cluster).on(cluster);
    @Nullable Fit fits = LargestBatch.below(request.pod(), decide).orElse(null);
    Refused refused = Refused.of(decision, fits);
    index.put(request.key(), refused, now);
    return refused;
  }

  /** A reservation and the state of its grant. */
  public record Seen(Reservation reservation, GrantState state) {}

  /**
   * The reservation with this id, possibly expired; empty if the leader has none.
   *
   * @throws dev.cotenant.admission.capacity.NotLeadingException where this process does not decide
   * @throws StoreFailedException if a later leader may have a reservation with this id
   */
  public Optional<Seen> find(String id) {
    long term = capacity.term();
    GrantState state = capacity.state(id);
    Optional<Seen> known = index.byId(id).map(reservation -> new Seen(reservation, state));
    if (known.isEmpty()) {
      ports.store().verifyCurrent(id, term);
    }
    return known;
  }

  /** Replaces all reservations by those of earlier leaders; their capacity is allocated already. */
  public void restore(Collection<Reservation> reservations) {
    index.replaceAll(reservations);
  }

  /**
   * Binds a reservation to a pod.
   *
   * @param version the caller's version; null for any
   * @throws StoreFailedException when that cannot be persisted; a retry is safe
   */
  public Confirmation confirm(String id, @Nullable Integer version, BoundPod pod) {
    @Nullable Reservation known = find(id).map(Seen::reservation).orElse(null);
    if (known == null) {
      return new Confirmation.Unknown();
    }
    synchronized (index.lockOf(known.key().named())) {
      long term = capacity.term();
      Reservation now = current(index.byId(id).orElse(known));
      if (pod.equals(now.boundTo())) {
        return confirmAgain(now, term);
      }
      if (now.boundTo() != null) {
        return verified(new OtherPod(now), id, term);
      }
      if (version != null && version != now.version()) {
        return verified(new Changed(now), id, term);
      }
      return bind(now, pod, term);
    }
  }

  /** Another leader may know better than one that lost its Lease unawares. */
  private Confirmation verified(Confirmation refusal, String id, long term) {
    ports.store().verifyCurrent(id, term);
    return refusal;
  }

  /**
   * A confirmation that an earlier term of this process could not persist has not happened: the
   * grant was read again, without a pod.
   */
  private Reservation current(Reservation known) {
    if (known.boundTo() == null || capacity.state(known.id()) != GrantState.ALLOCATED) {
      return known;
    }
    Reservation unconfirmed = known.unconfirmed();
    index.put(unconfirmed, this::holds);
    return unconfirmed;
  }

  private Confirmation confirmAgain(Reservation bound, long term) {
    if (capacity.state(bound.id()) != GrantState.BOUND) {
      return verified(new Expired(bound), bound.id(), term);
    }
    if (index.isUnpersisted(bound)) {
      persist(bound, term);
    } else {
      ports.store().verifyCurrent(bound.id(), term); // it may have been released since
    }
    return new Confirmed(bound);
  }

  /**
   * Binds the capacity first, so that it cannot expire during the write; after a failed write it
   * stays bound, and a retry persists it.
   */
  private Confirmation bind(Reservation unbound, BoundPod pod, long term) {
    PodIdentity identity = new PodIdentity(pod.namespace(), pod.name(), null);
    if (!capacity.confirm(unbound.id(), identity, pod.uid())) {
      return verified(new Expired(unbound), unbound.id(), term);
    }
    Reservation bound = unbound.confirmedFor(pod);
    index.put(bound, this::holds);
    persist(bound, term);
    return new Confirmed(bound);
  }

  /**
   * Releases a reservation; idempotent.
   *
   * @return whether a reservation with this id existed
   * @throws StoreFailedException when it may still be persisted; its capacity then stays allocated
   */
  public boolean release(String id) {
    @Nullable Reservation known = find(id).map(Seen::reservation).orElse(null);
    if (known == null) {
      return false;
    }
    synchronized (index.lockOf(known.key().named())) {
      long term = capacity.term();
      ports.store().remove(List.of(id), term);
      index.markPersisted(known);
      capacity.release(id);
      return true;
    }
  }

  /**
   * Removes reservations without capacity and persists those that failed; to be called
   * periodically.
   *
   * @throws dev.cotenant.admission.capacity.NotLeadingException where this process does not decide
   * @throws StoreFailedException when that fails; the next call retries
   */
  public void tidy() {
    long term = capacity.term();
    List<Reservation> all = index.all();
    Set<String> gone = capacity.gone(all.stream().map(Reservation::id).toList());
    ports.store().remove(gone.stream().sorted().toList(), term);
    for (Reservation reservation : all) {
      synchronized (index.lockOf(reservation.key().named())) {
        if (index.isUnpersisted(reservation) && !gone.contains(reservation.id())) {
          persist(current(index.byId(reservation.id()).orElse(reservation)), term);
        }
      }
    }
  }
}

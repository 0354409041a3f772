package dev.cotenant.admission.reservation;

import dev.cotenant.admission.LargestBatch;
import dev.cotenant.admission.LargestBatch.Fit;
import dev.cotenant.admission.PodDecisions;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.reservation.Confirmation.Changed;
import dev.cotenant.admission.reservation.Confirmation.Confirmed;
import dev.cotenant.admission.reservation.Confirmation.Lapsed;
import dev.cotenant.admission.reservation.Confirmation.OtherPod;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import dev.cotenant.admission.room.Room;
import dev.cotenant.admission.room.Room.Held;
import dev.cotenant.admission.room.Room.Standing;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves room for callers that make their pods themselves.
 *
 * <p>A request carries the caller's key, so that one whose answer was lost can be repeated: the
 * same key and the same request give the same reservation, or the same refusal for as long as a
 * reservation would have waited. Deciding and recording is the ledger's one step, and a reservation
 * is kept for the next leader before the caller learns of it. Safe for use by many threads.
 */
public final class Reservations {
  private final PodDecisions decisions;
  private final Room room;
  private final Keeping keeping;
  private final Remembered remembered;

  /**
   * Where reservations are kept, and how they are dated and named.
   *
   * @param store keeps them for the next leader
   * @param tokens gives a new, unguessable id with every call
   */
  public record Keeping(ReservationStore store, InstantSource clock, Supplier<String> tokens) {}

  /** Reservations on this ledger, decided on as pods are. */
  public Reservations(PodDecisions decisions, Room room, Keeping keeping) {
    this.decisions = decisions;
    this.room = room;
    this.keeping = keeping;
    this.remembered = new Remembered();
  }

  /**
   * What is asked.
   *
   * @param key the caller's name for the request
   * @param fingerprint of the request, the same for the same request
   * @param asked what room is wanted for
   */
  public record Asked(String key, String fingerprint, Colocatable asked) {}

  /**
   * Reserves room, or says why there is none.
   *
   * @throws dev.cotenant.admission.room.NotLeadingException where this process does not decide
   * @throws StoreFailedException when it cannot be kept; nothing is granted then
   */
  public ReservationOutcome reserve(Asked asked) {
    synchronized (remembered.lockOf(asked.key())) {
      Instant now = keeping.clock().instant();
      ClusterSnapshot cluster = room.withGrants(); // only the leader's memory is right
      return remembered
          .answer(asked.key(), asked.fingerprint(), now)
          .orElseGet(() -> reserveAnew(asked, cluster, now));
    }
  }

  private ReservationOutcome reserveAnew(Asked asked, ClusterSnapshot cluster, Instant now) {
    PodDecisions.Question question = decisions.ask(asked.asked(), cluster);
    String id = keeping.tokens().get();
    Held answer = room.hold(new Claim(id, asked.asked()), question::on);
    return switch (answer.decision()) {
      case Decision.Admitted admitted -> {
        Reservation made =
            new Reservation(
                id,
                asked.key(),
                asked.fingerprint(),
                asked.asked(),
                admitted,
                now,
                answer.until(),
                1,
                null);
        keep(made);
        yield new Reserved(made);
      }
      case Decision.Held held -> refuse(asked, held, now);
      case Decision.Denied denied -> refuse(asked, denied, now);
    };
  }

  private void keep(Reservation made) {
    boolean kept = false;
    try {
      keeping.store().put(made);
      kept = true;
    } finally {
      if (!kept) {
        room.release(made.id());
      }
    }
    remembered.put(made, this::holds);
  }

  private boolean holds(Reservation reservation) {
    return room.standing(reservation.id()) != Standing.GONE;
  }

  private Refused refuse(Asked asked, Decision decision, Instant now) {
    ClusterSnapshot cluster = room.withGrants();
    Function<Colocatable, Decision> decide = pod -> decisions.ask(pod, cluster).on(cluster);
    @Nullable Fit fits = LargestBatch.below(asked.asked(), decide).orElse(null);
    Refused refused = Refused.of(decision, fits);
    remembered.put(asked.key(), asked.fingerprint(), refused, now);
    return refused;
  }

  /** A reservation, and how things stand with it. */
  public record Seen(Reservation reservation, Standing standing) {}

  /** The reservation of this id, which may have lapsed; empty where there is none. */
  public Optional<Seen> find(String id) {
    Standing standing = room.standing(id);
    return remembered.byId(id).map(reservation -> new Seen(reservation, standing));
  }

  /** Knows what an earlier leader granted; its room must be held already. */
  public void restore(Collection<Reservation> kept) {
    kept.forEach(reservation -> remembered.put(reservation, this::holds));
  }

  /**
   * Makes a reservation a pod's.
   *
   * @param version the version that the caller looked at; null where it does not matter to it
   * @throws StoreFailedException when that cannot be kept; the reservation then stays as it was
   */
  public Confirmation confirm(String id, @Nullable Integer version, BoundPod pod) {
    @Nullable Reservation known = find(id).map(Seen::reservation).orElse(null);
    if (known == null) {
      return new Confirmation.Unknown();
    }
    synchronized (remembered.lockOf(known.key())) {
      Reservation now = remembered.byId(id).orElse(known);
      if (pod.equals(now.boundTo())) {
        return room.standing(id) == Standing.BOUND ? new Confirmed(now) : new Lapsed(now);
      }
      if (now.boundTo() != null) {
        return new OtherPod(now);
      }
      if (version != null && version != now.version()) {
        return new Changed(now);
      }
      return room.standing(id) == Standing.GONE ? new Lapsed(now) : bind(now, pod);
    }
  }

  /** Kept first: a new leader that finds it bound is right even where the ledger is lost. */
  private Confirmation bind(Reservation held, BoundPod pod) {
    Reservation bound = held.confirmedFor(pod);
    keeping.store().put(bound);
    PodIdentity identity = new PodIdentity(pod.namespace(), pod.name(), null);
    if (!room.confirm(held.id(), identity, pod.uid())) {
      keeping.store().remove(held.id()); // lapsed in between
      return new Lapsed(held);
    }
    remembered.put(bound, this::holds);
    return new Confirmed(bound);
  }

  /**
   * Gives a reservation back; repeating it is harmless.
   *
   * @return whether there was one of this id
   * @throws StoreFailedException when it may still be kept; it then still holds its room
   */
  public boolean release(String id) {
    @Nullable Reservation known = find(id).map(Seen::reservation).orElse(null);
    if (known == null) {
      return false;
    }
    synchronized (remembered.lockOf(known.key())) {
      keeping.store().remove(id);
      room.release(id);
      return true;
    }
  }
}

package dev.cotenant.admission.reservation;

import dev.cotenant.admission.reservation.Reservation.Named;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome.KeyReused;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The answers of earlier requests, by key. One lock guards the maps; further locks, by key, are for
 * callers that decide in between.
 */
final class ReservationIndex {
  private static final int LOCKS = 64;
  private static final int MAX_REFUSALS = 10_000;

  /** From this many reservations, those without capacity are dropped. */
  private static final int MANY = 10_000;

  /** The time for which a refusal is repeated: that of an unconfirmed reservation. */
  private static final Duration REFUSAL = Duration.ofMinutes(2);

  private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();
  private final Map<Named, Reservation> byKey = new HashMap<>();
  private final Map<String, Reservation> byId = new HashMap<>();
  private final Map<Named, Refusal> refusals = new LinkedHashMap<>();

  /** Ids that are not persisted: no caller has them. */
  private final Set<String> unpersisted = new HashSet<>();

  private int tidyAt = MANY;

  private record Refusal(String fingerprint, Refused refused, Instant until) {}

  /** The lock of a key. */
  Object lockOf(Named key) {
    return locks[Math.floorMod(key.hashCode(), LOCKS)];
  }

  /** The earlier answer to this request, or a conflict of its key. */
  synchronized Optional<ReservationOutcome> answer(RequestKey key, Instant now) {
    Reservation reservation = byKey.get(key.named());
    if (reservation != null) {
      return Optional.of(
          reservation.key().fingerprint().equals(key.fingerprint())
              ? new Reserved(reservation)
              : new KeyReused());
    }
    return Optional.ofNullable(refusals.get(key.named()))
        .filter(refusal -> now.isBefore(refusal.until()))
        .map(refusal ->
            refusal.fingerprint().equals(key.fingerprint()) ? refusal.refused() : new KeyReused());
  }

  synchronized Optional<Reservation> byId(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** All reservations, by id. */
  synchronized List<Reservation> all() {
    return byId.keySet().stream().sorted().map(byId::get).toList();
  }

  /**
   * Stores a reservation or a new version, not persisted yet.
   *
   * @param holds whether a reservation has capacity; such reservations are never dropped
   */
  synchronized void put(Reservation reservation, Predicate<Reservation> holds) {
    if (byId.size() >= tidyAt) {
      List.copyOf(byId.values()).stream().filter(holds.negate()).forEach(this::forget);
      tidyAt = Math.max(MANY, 2 * byId.size());
    }
    refusals.remove(reservation.key().named());
    byKey.put(reservation.key().named(), reservation);
    byId.put(reservation.id(), reservation);
    unpersisted.add(reservation.id());
  }

  /** The reservation is persisted. */
  synchronized void markPersisted(Reservation reservation) {
    unpersisted.remove(reservation.id());
  }

  synchronized boolean isUnpersisted(Reservation reservation) {
    return unpersisted.contains(reservation.id());
  }

  synchronized void forget(Reservation reservation) {
    byId.remove(reservation.id());
    unpersisted.remove(reservation.id());
    byKey.remove(reservation.key().named(), reservation);
  }

  synchronized void put(RequestKey key, Refused refused, Instant now) {
    refusals.remove(key.named()); // to make it the newest
    refusals.put(key.named(), new Refusal(key.fingerprint(), refused, now.plus(REFUSAL)));
    Iterator<Refusal> oldestFirst = refusals.values().iterator();
    while (oldestFirst.hasNext()) {
      Refusal oldest = oldestFirst.next();
      if (refusals.size() <= MAX_REFUSALS && now.isBefore(oldest.until())) {
        return;
      }
      oldestFirst.remove();
    }
  }

  /** Replaces everything by the reservations of a new term. */
  synchronized void replaceAll(Collection<Reservation> reservations) {
    byKey.clear();
    byId.clear();
    refusals.clear();
    unpersisted.clear();
    for (Reservation reservation : reservations) {
      byKey.put(reservation.key().named(), reservation);
      byId.put(reservation.id(), reservation);
    }
  }
}

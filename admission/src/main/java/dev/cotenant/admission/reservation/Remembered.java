package dev.cotenant.admission.reservation;

import dev.cotenant.admission.reservation.ReservationOutcome.KeyReused;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What was answered under which key. One lock guards the maps; others, by key, are for callers that
 * decide in between.
 */
final class Remembered {
  private static final int LOCKS = 64;
  private static final int MAX_REFUSALS = 10_000;

  /** From so many reservations on, those that hold nothing any more are forgotten. */
  private static final int MANY = 10_000;

  /** For how long the same refusal is given again: as long as a reservation would have waited. */
  private static final Duration REFUSAL = Duration.ofMinutes(2);

  private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();
  private final Map<String, Reservation> byKey = new HashMap<>();
  private final Map<String, Reservation> byId = new HashMap<>();
  private final Map<String, Refusal> refusals = new LinkedHashMap<>();
  private int tidyAt = MANY;

  private record Refusal(String fingerprint, Refused refused, Instant until) {}

  /** Callers with the same key wait for each other here. */
  Object lockOf(String key) {
    return locks[Math.floorMod(key.hashCode(), LOCKS)];
  }

  /** What was answered to this request before; that the key is taken where it was another. */
  synchronized Optional<ReservationOutcome> answer(String key, String fingerprint, Instant now) {
    Reservation reservation = byKey.get(key);
    if (reservation != null) {
      return Optional.of(
          reservation.fingerprint().equals(fingerprint)
              ? new Reserved(reservation)
              : new KeyReused());
    }
    return Optional.ofNullable(refusals.get(key))
        .filter(refusal -> now.isBefore(refusal.until()))
        .map(refusal ->
            refusal.fingerprint().equals(fingerprint) ? refusal.refused() : new KeyReused());
  }

  synchronized Optional<Reservation> byId(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * Remembers a reservation, or its new version.
   *
   * @param holds whether one still holds room; those that do are never forgotten
   */
  synchronized void put(Reservation reservation, Predicate<Reservation> holds) {
    if (byId.size() >= tidyAt) {
      byId.values().removeIf(holds.negate());
      byKey.values().removeIf(known -> !byId.containsKey(known.id()));
      tidyAt = Math.max(MANY, 2 * byId.size());
    }
    refusals.remove(reservation.key());
    byKey.put(reservation.key(), reservation);
    byId.put(reservation.id(), reservation);
  }

  synchronized void put(String key, String fingerprint, Refused refused, Instant now) {
    refusals.remove(key); // so that it counts as the newest
    refusals.put(key, new Refusal(fingerprint, refused, now.plus(REFUSAL)));
    if (refusals.size() > MAX_REFUSALS) {
      Iterator<String> oldestFirst = refusals.keySet().iterator();
      oldestFirst.next();
      oldestFirst.remove();
    }
  }
}

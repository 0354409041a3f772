package dev.cotenant.admission.reservation;

import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.StoreFailedException.Certainty;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.domain.InputException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Persists reservations for the next leader.
 *
 * <p>Unreadable entries are logged and left in place: another version may read them. Safe for use
 * by many threads.
 */
public final class PersistedReservations implements ReservationStore {
  private final LeaderStateStore store;
  private final Predicate<BoundPod> isGone;
  private final InstantSource clock;
  private final Consumer<String> warnings;
  private final List<Consumer<Collection<Reservation>>> listeners = new ArrayList<>();
  private List<Reservation> claimed = List.of();

  /**
   * @param store the documents
   * @param isGone whether a pod is gone or finished
   * @param clock for expiry
   * @param warnings one line each
   */
  public PersistedReservations(
      LeaderStateStore store,
      Predicate<BoundPod> isGone,
      InstantSource clock,
      Consumer<String> warnings) {
    this.store = store;
    this.isGone = isGone;
    this.clock = clock;
    this.warnings = warnings;
  }

  /**
   * Claims the reservations of earlier leaders for a term; those without capacity are removed.
   *
   * @return all reservations with capacity, by id
   * @throws NotClaimedException when that fails; a retry is safe
   */
  public List<Reservation> claim(long term) {
    List<Reservation> all = new ArrayList<>();
    List<String> expired = new ArrayList<>();
    Instant now = clock.instant();
    store
        .claim(term)
        .forEach((id, line) -> {
          try {
            Reservation reservation = ReservationCodec.read(id, line);
            BoundPod pod = reservation.boundTo();
            if (!reservation.isExpired(now) && (pod == null || !isGone.test(pod))) {
              all.add(reservation);
            } else {
              expired.add(id);
            }
          } catch (InputException e) {
            warnings.accept("Left out the reservation '" + id + "': " + e.getMessage());
          }
        });
    removeExpired(expired, term);
    publish(List.copyOf(all));
    return all;
  }

  /** Removes expired entries, which would fill the documents; the next term retries a failure. */
  private void removeExpired(List<String> expired, long term) {
    if (!expired.isEmpty()
        && !(store.remove(term, expired) instanceof LeaderStateStore.Result.Persisted)) {
      warnings.accept("Some of " + expired.size() + " expired reservations could not be removed");
    }
  }

  private synchronized void publish(List<Reservation> all) {
    claimed = all;
    listeners.forEach(listener -> listener.accept(all));
  }

  public void close() {
    store.close();
  }

  @Override
  public synchronized void onClaimed(Consumer<Collection<Reservation>> listener) {
    listeners.add(listener);
    listener.accept(claimed);
  }

  @Override
  public void put(Reservation reservation, long term) {
    check(store.put(term, reservation.id(), ReservationCodec.write(reservation)));
  }

  @Override
  public void remove(List<String> ids, long term) {
    check(store.remove(term, ids));
  }

  @Override
  public void verifyCurrent(String id, long term) {
    String failure =
        switch (store.verifyTerm(term, id)) {
          case LeaderStateStore.Result.Persisted _ -> "";
          case LeaderStateStore.Result.Rejected(String why) -> why;
          case LeaderStateStore.Result.Uncertain(String why) -> why;
        };
    if (!failure.isEmpty()) {
      throw new StoreFailedException(
          "Whether there is a reservation '" + id + "' is unknown now (" + failure + "): retry.",
          Certainty.UNKNOWN);
    }
  }

  private static void check(LeaderStateStore.Result result) {
    switch (result) {
      case LeaderStateStore.Result.Persisted _ -> {}
      case LeaderStateStore.Result.Rejected(String why) ->
          throw new StoreFailedException(message(why), Certainty.NOT_DONE);
      case LeaderStateStore.Result.Uncertain(String why) ->
          throw new StoreFailedException(message(why), Certainty.UNKNOWN);
    }
  }

  private static String message(String why) {
    return "Reservations cannot be persisted now (" + why + "): retry.";
  }
}

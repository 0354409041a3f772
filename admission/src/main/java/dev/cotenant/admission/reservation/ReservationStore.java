package dev.cotenant.admission.reservation;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Port: persists reservations before their callers receive them. The next leader reads them into
 * its ledger before its first decision; a process without successors persists nothing.
 */
public interface ReservationStore {
  /** For a process without successors. */
  ReservationStore PROCESS =
      new ReservationStore() {
        @Override
        public void put(Reservation reservation, long term) {}

        @Override
        public void remove(List<String> ids, long term) {}
      };

  /**
   * Persists a reservation or a new version of it.
   *
   * @param term of the ledger; writes of an ended term are refused
   * @throws StoreFailedException when it is not persisted, or may not be
   */
  void put(Reservation reservation, long term);

  /**
   * Removes reservations; missing ones are fine.
   *
   * @throws StoreFailedException when one may still be persisted
   */
  void remove(List<String> ids, long term);

  /**
   * Verifies that this term is current, so that no later leader has changed the reservation.
   *
   * @throws StoreFailedException when a later leader may have
   */
  default void verifyCurrent(String id, long term) {}

  /**
   * Passes the reservations of earlier leaders to the listener, with every term, before decisions.
   */
  default void onClaimed(Consumer<Collection<Reservation>> listener) {}
}

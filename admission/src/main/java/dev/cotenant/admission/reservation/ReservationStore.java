package dev.cotenant.admission.reservation;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Port: keeps reservations where the next leader finds them, before a caller learns of them.
 *
 * <p>Where there is no other process that could lead, nothing needs to be kept. Whoever leads reads
 * what is kept into its ledger before it decides on anything.
 */
public interface ReservationStore {
  /** For one process that decides alone: what it forgets, nobody else grants. */
  ReservationStore PROCESS =
      new ReservationStore() {
        @Override
        public void put(Reservation reservation, long term) {}

        @Override
        public void remove(List<String> ids, long term) {}
      };

  /**
   * Keeps a reservation, or a new version of it.
   *
   * @param term of the ledger that holds its capacity; nothing is kept for one that is over
   * @throws StoreFailedException when it is not kept, or may not be; the caller is then told
   *     nothing
   */
  void put(Reservation reservation, long term);

  /**
   * Forgets some; nothing happens where one is not kept.
   *
   * @throws StoreFailedException when one may still be kept
   */
  void remove(List<String> ids, long term);

  /**
   * Makes sure that what this process knows of a reservation, or that it knows of none, is what is
   * kept: whoever has lost the Lease without noticing knows nothing of what its successor did.
   *
   * @throws StoreFailedException when a later leader may know better
   */
  default void verifyCurrent(String id, long term) {}

  /** Tells whoever answers what earlier leaders kept, with every term, before it decides. */
  default void onClaimed(Consumer<Collection<Reservation>> listener) {}
}

package dev.cotenant.admission.reservation;

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
        public void put(Reservation reservation) {}

        @Override
        public void remove(String id) {}
      };

  /**
   * Keeps a reservation, or a new version of it.
   *
   * @throws StoreFailedException when it may not be kept; the caller is then told nothing
   */
  void put(Reservation reservation);

  /**
   * Forgets one; nothing happens where it is not kept.
   *
   * @throws StoreFailedException when it may still be kept
   */
  void remove(String id);
}

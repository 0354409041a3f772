package dev.cotenant.engine.fleet;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Port: fleets that are watched. Every method may throw StoreException. */
public interface FleetStore {
  /** Most fleets: each is read and decided about in every period. */
  int MAX_FLEETS = 16;

  /**
   * A fleet.
   *
   * @param name unique
   * @param document JSON as it was sent
   * @param state JSON of what its loop remembers; empty before the first decision
   * @param view JSON of the last decision; empty before it
   * @param revision grows with every decision and with every document
   * @param by the authenticated caller who stored the document
   * @param storedAt when
   * @param decidedAt time of the last decision, or of storing before the first
   */
  record Stored(
      String name,
      String document,
      String state,
      String view,
      long revision,
      String by,
      Instant storedAt,
      Instant decidedAt) {}

  /**
   * Stores a fleet, replacing a fleet of this name and its state.
   *
   * @return false, and nothing is stored, where there are {@link #MAX_FLEETS} others
   */
  boolean put(String name, String document, String by, Instant at);

  /** A fleet by its name. */
  Optional<Stored> find(String name);

  /** All by name. */
  List<Stored> all();

  /**
   * Stores a decision, unless another replica's came first.
   *
   * @param before the fleet as read before the decision
   * @return whether it is stored
   */
  boolean decided(Stored before, String state, String view, Instant at);

  /** Whether there was one. */
  boolean delete(String name);
}

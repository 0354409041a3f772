package dev.cotenant.service.replay;

import java.util.Optional;

/**
 * The newest replay that has ended, of all replicas. All methods throw {@link
 * dev.cotenant.engine.lifecycle.StoreException} where the database cannot be used.
 */
public interface ReplayStore {
  /** Replaces the stored result. */
  void put(String content);

  /** The stored answer; empty before the first. */
  Optional<String> newest();
}

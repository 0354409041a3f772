package dev.cotenant.engine.lifecycle;

import java.time.InstantSource;
import java.util.Optional;

/** The version that a release ships. */
final class ShippedVersion {
  private ShippedVersion() {}

  /**
   * Puts the shipped version into the store. It is promoted where nothing is, and where it is new
   * and the one before it was served only because it was shipped: an upgrade serves its own model
   * unless a user has promoted another.
   */
  static void announce(VersionStore store, ModelVersion version, byte[] file, InstantSource clock) {
    boolean isNew = store.add(version, file);
    Optional<Promotion> before = store.promoted();
    boolean wasShipped = before.map(p -> p.grounds() == Promotion.Grounds.SHIPPED).orElse(true);
    if (before.isEmpty() || (isNew && wasShipped)) {
      Promotion.Request request =
          new Promotion.Request(
              version.sha256(), "cotenant", Promotion.Grounds.SHIPPED, "What this release ships.");
      try {
        store.promote(request, before.map(Promotion::number).orElse(0L), clock.instant());
      } catch (ConflictException e) {
        return; // another replica was first
      }
    }
  }
}

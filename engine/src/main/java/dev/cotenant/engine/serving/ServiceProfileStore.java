package dev.cotenant.engine.serving;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: profiles of services and devices. Every method may throw StoreException. */
public interface ServiceProfileStore {
  /** Most profiles of a namespace. */
  int MAX_PROFILES = 1_000;

  /**
   * One line of a profile file.
   *
   * @param namespace whose pods it counts for; empty for those of all namespaces
   * @param kind {@code device} or {@code workload}
   * @param name of the workload, or of the device
   * @param device its id
   * @param line as {@link dev.cotenant.interference.profile.ProfileText} writes it
   * @param by the authenticated caller
   * @param at when it was stored
   */
  record Stored(
      String namespace,
      String kind,
      String name,
      String device,
      String line,
      String by,
      Instant at) {}

  /**
   * Stores profiles, each in place of the one of its namespace, kind, name and device; all or, when
   * the store fails, none.
   *
   * @return false, and nothing is stored, where a namespace would have more than {@link
   *     #MAX_PROFILES}
   */
  boolean put(List<Stored> profiles);

  /**
   * Deletes the profiles of a name in a namespace.
   *
   * @param device on which; null for all
   * @return how many there were
   */
  int delete(String namespace, String name, @Nullable String device);

  /** A number that changes with the profiles. */
  long state();

  /** All profiles by namespace, kind, name and device. */
  List<Stored> all();
}

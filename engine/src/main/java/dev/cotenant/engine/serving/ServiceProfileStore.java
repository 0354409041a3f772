package dev.cotenant.engine.serving;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: profiles of services and devices. Every method may throw StoreException. */
public interface ServiceProfileStore {
  /** Most profiles of a namespace. */
  int MAX_PROFILES = 1_000;

  /** Most characters of the lines of all namespaces, which every replica holds in memory. */
  long MAX_CHARACTERS = 16L << 20;

  /** What became of an upload. */
  enum Upload {
    /** All of it is stored. */
    STORED,
    /** Nothing: a namespace would have more than {@link #MAX_PROFILES}. */
    NAMESPACE_FULL,
    /** Nothing: all lines together would have more than {@link #MAX_CHARACTERS}. */
    STORE_FULL
  }

  /**
   * One line of a profile file.
   *
   * @param namespace namespace of the pods that it applies to; empty for all namespaces
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
   * it is refused or the store fails, none.
   */
  Upload put(List<Stored> profiles);

  /**
   * Deletes the profiles of a name in a namespace.
   *
   * @param device on which; null for all
   * @return how many there were
   */
  int delete(String namespace, String name, @Nullable String device);

  /** A number that grows with every change of profiles. */
  long state();

  /** All profiles by namespace, kind, name and device. */
  List<Stored> all();
}

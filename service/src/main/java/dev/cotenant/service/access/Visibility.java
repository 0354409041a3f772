package dev.cotenant.service.access;

import org.jspecify.annotations.Nullable;

/**
 * Part of an answer about pods that a caller may read.
 *
 * @param namespace the only one; null for all
 */
public record Visibility(@Nullable String namespace) {
  /** All namespaces. */
  public static final Visibility EVERYTHING = new Visibility(null);

  /** Placeholder for a pod of another namespace. */
  public static final String HIDDEN = "(another namespace)";

  /** Whether pods of a namespace may be read. */
  public boolean shows(String other) {
    return namespace == null || namespace.equals(other);
  }

  /** A pod's or tenant's name, {@code team-a/train}; {@link #HIDDEN} where it may not be read. */
  public String name(String tenant) {
    return namespace == null || tenant.startsWith(namespace + "/") ? tenant : HIDDEN;
  }
}

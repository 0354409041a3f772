package dev.cotenant.admission.access;

import org.jspecify.annotations.Nullable;

/**
 * A right that a call needs, in the words of RBAC.
 *
 * @param verb such as {@code list}
 * @param resource of the API group {@link #GROUP}, such as {@code decisions}
 * @param namespace where; null for the whole cluster, which a right in a namespace never covers
 */
public record Permission(String verb, String resource, @Nullable String namespace) {
  /** The API group of all resources; the API server serves no objects of it. */
  public static final String GROUP = "cotenant.dev";

  /** For people: {@code list decisions.cotenant.dev in namespace team-a}. */
  @Override
  public String toString() {
    return verb
        + " "
        + resource
        + "."
        + GROUP
        + (namespace == null ? " in the whole cluster" : " in namespace " + namespace);
  }
}

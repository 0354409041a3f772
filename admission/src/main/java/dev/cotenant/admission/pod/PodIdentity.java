package dev.cotenant.admission.pod;

import dev.cotenant.domain.text.DnsSubdomain;
import org.jspecify.annotations.Nullable;

/**
 * The name of a pod, which may be incomplete during its creation.
 *
 * @param namespace its namespace
 * @param name null before the API server has made one from {@code generateName}
 * @param generateName the prefix of a generated name; null for a given one
 */
public record PodIdentity(String namespace, @Nullable String name, @Nullable String generateName) {

  /** For people: {@code team-a/train}, {@code team-a/tune-*} before the name is made. */
  @Override
  public String toString() {
    if (name != null) {
      return namespace + "/" + name;
    }
    return namespace + "/" + (generateName == null ? "(unnamed)" : generateName + "*");
  }

  /** Whether both have the same complete name. */
  public boolean isNamed(PodIdentity other) {
    return name != null && name.equals(other.name) && namespace.equals(other.namespace);
  }

  /** Whether {@code later} can be this pod with its generated name. */
  public boolean mayBecome(PodIdentity later) {
    if (!namespace.equals(later.namespace)) {
      return false;
    }
    return name != null
        ? name.equals(later.name)
        : generateName != null && generateName.equals(later.generateName);
  }

  /**
   * The name, if valid in Kubernetes and so safe inside a PromQL string.
   *
   * @throws IllegalArgumentException where they are not
   */
  public String requireName() {
    String known = String.valueOf(name);
    if (!DnsSubdomain.matches(namespace) || !DnsSubdomain.matches(known)) {
      throw new IllegalArgumentException("'" + this + "' is not a pod name");
    }
    return known;
  }
}

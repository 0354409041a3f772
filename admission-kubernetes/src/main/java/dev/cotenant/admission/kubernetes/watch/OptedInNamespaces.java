package dev.cotenant.admission.kubernetes.watch;

import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;

/** The namespaces that are labelled for colocation, as far as this process watches. */
public final class OptedInNamespaces implements Predicate<String> {
  /** What selects them. */
  static final String SELECTOR = "cotenant.dev/colocation=enabled";

  private volatile Set<String> names = Set.of();

  void set(Collection<String> all) {
    names = Set.copyOf(all);
  }

  /** Their names. */
  public Set<String> names() {
    return names;
  }

  /** Whether a namespace is among them. */
  @Override
  public boolean test(String namespace) {
    return names.contains(namespace);
  }
}

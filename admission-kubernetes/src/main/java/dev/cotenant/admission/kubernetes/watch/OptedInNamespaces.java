package dev.cotenant.admission.kubernetes.watch;

import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;

/** The namespaces that are labelled for colocation, while this process watches. */
public final class OptedInNamespaces implements Predicate<String> {
  /** Their label selector. */
  static final String SELECTOR = "cotenant.dev/colocation=enabled";

  private volatile Set<String> names = Set.of();

  void set(Collection<String> all) {
    names = Set.copyOf(all);
  }

  @Override
  public boolean test(String namespace) {
    return names.contains(namespace);
  }
}

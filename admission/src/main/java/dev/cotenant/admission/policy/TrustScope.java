package dev.cotenant.admission.policy;

import dev.cotenant.domain.text.DnsSubdomain;

/**
 * The reach of sharing across namespaces. An MPS client's fault ends its neighbours, and
 * time-slicing bounds no memory, so that tenants of a GPU have to trust each other.
 *
 * @param name {@code namespace}, or the name of a trust domain of several namespaces, a DNS-1123
 *     subdomain
 */
public record TrustScope(String name) {
  /** Pods share with pods of their own namespace alone. */
  public static final TrustScope NAMESPACE = new TrustScope("namespace");

  /**
   * @throws IllegalArgumentException for another name
   */
  public TrustScope {
    if (!DnsSubdomain.matches(name)) {
      throw new IllegalArgumentException(
          "must be 'namespace' or a DNS-1123 subdomain (lower-case letters, digits, '-', '.'), is '"
              + name
              + "'");
    }
  }

  /** The trust domain of a namespace with this scope; two namespaces trust each other if equal. */
  String domain(String namespace) {
    return equals(NAMESPACE) ? NAMESPACE.name + "/" + namespace : name;
  }
}

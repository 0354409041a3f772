package dev.cotenant.admission.policy;

import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.domain.decision.TrustDomain;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The policies of a cluster.
 *
 * @param standard of namespaces without their own
 * @param byNamespace of the others
 */
public record Policies(Policy standard, Map<String, Policy> byNamespace) {
  /**
   * @throws IllegalArgumentException when {@code IMMEDIATE} is mixed with modes that hold pods:
   *     there would be two ledgers
   */
  public Policies {
    byNamespace = Map.copyOf(byNamespace);
    if (uses(standard, byNamespace.values(), Mode.IMMEDIATE)
        && uses(standard, byNamespace.values(), Mode.ENFORCE)) {
      throw new IllegalArgumentException(
          "mode immediate has its ledger in the process and enforce in the cluster; use one");
    }
  }

  public static Policies of(Policy everywhere) {
    return new Policies(everywhere, Map.of());
  }

  public Policy of(String namespace) {
    return byNamespace.getOrDefault(namespace, standard);
  }

  /** The namespaces that may share GPUs with a namespace: those with the same trust scope. */
  public TrustDomain trustDomain(String namespace) {
    String own = trustDomainName(namespace);
    return other -> trustDomainName(other).equals(own);
  }

  /** Equal for namespaces of one trust domain. */
  public String trustDomainName(String namespace) {
    return of(namespace).trust().domain(namespace);
  }

  /** Whether the scheduler of this name chooses nodes through the extender for a namespace. */
  public boolean isPlacedBy(String scheduler, String namespace) {
    Policy policy = of(namespace);
    return policy.mode() == Mode.ENFORCE && scheduler.equals(policy.schedulerName());
  }

  /** Whether some policy has this mode. */
  public boolean use(Mode mode) {
    return uses(standard, byNamespace.values(), mode);
  }

  /** Every policy once, by name. */
  public Map<String, Policy> byName() {
    Map<String, Policy> all = new TreeMap<>();
    byNamespace.values().forEach(policy -> all.put(policy.name(), policy));
    all.put(standard.name(), standard);
    return all;
  }

  private static boolean uses(Policy standard, Collection<Policy> others, Mode mode) {
    return standard.mode() == mode || others.stream().anyMatch(policy -> policy.mode() == mode);
  }
}

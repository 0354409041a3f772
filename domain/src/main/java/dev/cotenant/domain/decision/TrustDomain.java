package dev.cotenant.domain.decision;

/** The namespaces whose workloads may share a GPU with a workload. */
@FunctionalInterface
public interface TrustDomain {
  /** Workloads of all namespaces share GPUs. */
  TrustDomain CLUSTER = _ -> true;

  /**
   * Whether workloads of a namespace belong to it.
   *
   * @param namespace empty where a workload has none
   */
  boolean includes(String namespace);
}

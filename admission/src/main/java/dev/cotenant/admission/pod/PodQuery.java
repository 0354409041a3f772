package dev.cotenant.admission.pod;

import java.time.Duration;

/** A number of the metrics server about one pod. */
public sealed interface PodQuery permits MetricQuery, QueryTemplate {
  /**
   * The number about a pod as PromQL.
   *
   * @param window over which it is averaged
   * @throws IllegalArgumentException when the pod's names are none of Kubernetes
   */
  String promQl(PodIdentity pod, Duration window);

  /**
   * The name of a pod, which PromQL can hold in a string as it is.
   *
   * @throws IllegalArgumentException when its names are none of Kubernetes
   */
  static String requireName(PodIdentity pod) {
    String name = String.valueOf(pod.name());
    if (!DnsSubdomain.matches(pod.namespace()) || !DnsSubdomain.matches(name)) {
      throw new IllegalArgumentException("'" + pod + "' is no name of a pod");
    }
    return name;
  }
}

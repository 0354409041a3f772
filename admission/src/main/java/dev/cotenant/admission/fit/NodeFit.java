package dev.cotenant.admission.fit;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.Footprint.HostPort;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.domain.quantity.MemorySize;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Whether a node has the resources and ports for a pod, as kube-scheduler's filters {@code
 * NodeResourcesFit} and {@code NodePorts} decide it [Kubernetes 1.36,
 * pkg/scheduler/framework/plugins], with their words.
 *
 * <p>A request of 0 always fits. A node that reports no resources yet, or none of the standard
 * ones, is not excluded for them; a missing extended resource is 0.
 */
public final class NodeFit {
  /*
   * HAMi's device plugin offers nvidia.com/gpu only. HAMi's extender counts these, and its chart
   * configures the scheduler to ignore them [managedResources, ignoredByScheduler].
   */
  private static final Set<String> COUNTED_BY_HAMI =
      Stream.concat(
              GpuDialect.HAMI.memoryField().stream().flatMap(field -> field.names().stream()),
              Stream.of("nvidia.com/priority"))
          .collect(toUnmodifiableSet());

  private NodeFit() {}

  /** The first obstacle; empty where there is none. */
  static Optional<String> whyNot(Footprint pod, ResourceAmounts allocatable, NodeLoad load) {
    long most = allocatable.of(ResourceAmounts.PODS);
    if (allocatable.has(ResourceAmounts.PODS) && load.pods() + 1 > most) {
      return Optional.of("Too many pods: " + load.pods() + " of " + most);
    }
    for (HostPort port : pod.ports()) {
      if (load.conflictsWith(port)) {
        return Optional.of(
            "didn't have free ports for the requested pod ports: "
                + port.port()
                + "/"
                + port.protocol());
      }
    }
    return allocatable.isEmpty() ? Optional.empty() : missing(pod.requests(), allocatable, load);
  }

  private static Optional<String> missing(
      ResourceAmounts requests, ResourceAmounts allocatable, NodeLoad load) {
    for (String resource : new TreeSet<>(requests.names())) {
      long requested = requests.of(resource);
      long all = allocatable.of(resource);
      long free = all - load.requested(resource);
      if (requested > 0 && requested > free && isChecked(resource, allocatable)) {
        return Optional.of(
            "Insufficient "
                + resource
                + ": requests "
                + words(resource, requested)
                + ", free "
                + words(resource, Math.max(0, free))
                + " of "
                + words(resource, all));
      }
    }
    return Optional.empty();
  }

  private static boolean isChecked(String resource, ResourceAmounts allocatable) {
    return allocatable.has(resource)
        || !(isStandard(resource) || COUNTED_BY_HAMI.contains(resource));
  }

  private static boolean isStandard(String resource) {
    return resource.equals(ResourceAmounts.CPU)
        || resource.equals(ResourceAmounts.MEMORY)
        || resource.equals(ResourceAmounts.EPHEMERAL_STORAGE);
  }

  private static String words(String resource, long amount) {
    if (resource.equals(ResourceAmounts.CPU)) {
      return BigDecimal.valueOf(amount, 3).stripTrailingZeros().toPlainString();
    }
    boolean bytes =
        resource.equals(ResourceAmounts.MEMORY)
            || resource.equals(ResourceAmounts.EPHEMERAL_STORAGE)
            || resource.startsWith(ResourceAmounts.HUGE_PAGES_PREFIX);
    return bytes ? MemorySize.ofBytes(amount).toString() : Long.toString(amount);
  }
}

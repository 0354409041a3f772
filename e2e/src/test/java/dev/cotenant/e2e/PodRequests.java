package dev.cotenant.e2e;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The amounts that a pod takes of its node by resource, in base units: containers and sidecars
 * together, or the largest init container with the sidecars before it, and the overhead.
 */
final class PodRequests {
  private PodRequests() {}

  static Map<String, BigDecimal> of(Pod pod) {
    Map<String, BigDecimal> running = new TreeMap<>();
    Map<String, BigDecimal> largest = new TreeMap<>();
    for (Container init : pod.getSpec().getInitContainers()) {
      if ("Always".equals(init.getRestartPolicy())) {
        add(running, requests(init));
      } else {
        Map<String, BigDecimal> during = new TreeMap<>(running);
        add(during, requests(init));
        during.forEach((resource, amount) -> largest.merge(resource, amount, BigDecimal::max));
      }
    }
    for (Container container : pod.getSpec().getContainers()) {
      add(running, requests(container));
    }
    largest.forEach((resource, amount) -> running.merge(resource, amount, BigDecimal::max));
    add(running, nullToEmpty(pod.getSpec().getOverhead()));
    running.put("pods", BigDecimal.ONE);
    return running;
  }

  static Map<String, BigDecimal> sum(Iterable<Map<String, BigDecimal>> all) {
    Map<String, BigDecimal> sum = new TreeMap<>();
    all.forEach(
        one -> one.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add)));
    return sum;
  }

  private static Map<String, Quantity> requests(Container container) {
    return container.getResources() == null
        ? Map.of()
        : nullToEmpty(container.getResources().getRequests());
  }

  private static Map<String, Quantity> nullToEmpty(Map<String, Quantity> amounts) {
    return amounts == null ? Map.of() : amounts;
  }

  private static void add(Map<String, BigDecimal> sum, Map<String, Quantity> amounts) {
    amounts.forEach(
        (resource, amount) -> sum.merge(resource, amount.getNumericalAmount(), BigDecimal::add));
  }

  /** The resources in the order in which a kubelet checks them. */
  static List<String> inOrder(Map<String, BigDecimal> requests) {
    List<String> first = List.of("pods", "cpu", "memory");
    return java.util.stream.Stream.concat(
            first.stream().filter(requests::containsKey),
            requests.keySet().stream().filter(resource -> !first.contains(resource)))
        .toList();
  }
}

package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import java.util.List;
import java.util.Map;

/** Pods that all of these selectors match. */
record PodFilter(List<PodSelector> selectors) {
  PodFilter {
    selectors = List.copyOf(selectors);
  }

  boolean matches(String namespace, Map<String, String> labels) {
    return selectors.stream().allMatch(selector -> selector.matches(namespace, labels));
  }
}

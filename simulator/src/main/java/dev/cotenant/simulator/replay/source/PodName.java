package dev.cotenant.simulator.replay.source;

import java.util.Map;

/** A pod as labels name it; both parts are empty where they name none. */
record PodName(String namespace, String name) {
  /** Without {@code exported_…} labels, {@code pod} is the workload; with them, the exporter. */
  static PodName of(Map<String, String> labels) {
    String exported = labels.getOrDefault("exported_pod", "");
    return exported.isEmpty()
        ? new PodName(labels.getOrDefault("namespace", ""), labels.getOrDefault("pod", ""))
        : new PodName(labels.getOrDefault("exported_namespace", ""), exported);
  }

  boolean isKnown() {
    return !name.isEmpty();
  }
}

package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.Footprint.HostPort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sum of the pods on a node. */
final class NodeLoad {
  private final Map<String, Long> requested = new HashMap<>();
  private final Map<String, List<HostPort>> ports = new HashMap<>();
  private int pods;

  int pods() {
    return pods;
  }

  /** The requested amount of a resource. */
  long requested(String resource) {
    return requested.getOrDefault(resource, 0L);
  }

  boolean conflictsWith(HostPort port) {
    return ports.values().stream()
        .anyMatch(used -> used.stream().anyMatch(other -> other.conflictsWith(port)));
  }

  void add(String uid, Footprint pod) {
    pods++;
    for (String resource : pod.requests().names()) {
      requested.merge(resource, pod.requests().of(resource), Long::sum);
    }
    if (!pod.ports().isEmpty()) {
      ports.put(uid, pod.ports());
    }
  }

  /** Removes a pod that was added with this footprint. */
  void remove(String uid, Footprint pod) {
    pods--;
    for (String resource : pod.requests().names()) {
      requested.merge(resource, -pod.requests().of(resource), Long::sum);
    }
    ports.remove(uid);
  }
}

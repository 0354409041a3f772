package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.Footprint.HostPort;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what a pod takes of its node. Not safe for use by many threads. */
final class FootprintReader {
  private static final int MAX_PORTS = 65_535;

  private final Interner interner = new Interner();

  /**
   * Reads the footprint of a pod.
   *
   * @throws dev.cotenant.domain.InputException where a selector or constraint is malformed
   */
  Footprint read(JsonNode pod) {
    JsonNode spec = pod.path("spec");
    JsonNode metadata = pod.path("metadata");
    Map<String, String> labels = labels(metadata.path("labels"));
    String namespace = Json.required(metadata, "namespace");
    return new Footprint(
        interner.intern(Amounts.ofPod(spec)),
        ports(spec),
        labels,
        interner.intern(new PodTopologyReader(namespace, labels).read(spec)),
        claims(spec.path("volumes")));
  }

  private Map<String, String> labels(JsonNode object) {
    Map<String, String> labels = new HashMap<>();
    Json.texts(object).forEach((key, value) -> labels.put(interner.intern(key), value));
    return interner.intern(Map.copyOf(labels));
  }

  private static List<HostPort> ports(JsonNode spec) {
    List<HostPort> ports = new ArrayList<>();
    spec.path("containers").forEach(container -> addPorts(container, ports));
    for (JsonNode container : spec.path("initContainers")) {
      if (Amounts.isSidecar(container)) {
        addPorts(container, ports);
      }
    }
    return ports;
  }

  private static void addPorts(JsonNode container, List<HostPort> ports) {
    for (JsonNode port : container.path("ports")) {
      int number = port.path("hostPort").asInt(0);
      if (number > 0 && number <= MAX_PORTS) {
        ports.add(
            new HostPort(
                Json.textOr(port, "hostIP", "0.0.0.0"),
                Json.textOr(port, "protocol", "TCP"),
                number));
      }
    }
  }

  private static Set<String> claims(JsonNode volumes) {
    Set<String> claims = new HashSet<>();
    for (JsonNode volume : volumes) {
      @Nullable String name = Json.text(volume.path("persistentVolumeClaim"), "claimName");
      if (name != null) {
        claims.add(name);
      }
    }
    return claims;
  }
}

package dev.cotenant.admission.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.Json;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** An Event [core/v1] about a pod, as {@code kubectl describe} shows it. */
final class EventBody {
  /** The limit of the API server. */
  static final int MAX_MESSAGE_BYTES = 1_024;

  private static final String COMPONENT = "cotenant";
  private static final String CUT = "…";

  private final String identity;
  private final InstantSource clock;

  EventBody(String identity, InstantSource clock) {
    this.identity = identity;
    this.clock = clock;
  }

  JsonNode of(WatchedPod pod, PodEvent event) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    ObjectNode body = Json.object().put("apiVersion", "v1").put("kind", "Event");
    body.putObject("metadata")
        .put("generateName", "cotenant-")
        .put("namespace", pod.pod().namespace());
    body.putObject("involvedObject")
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("namespace", pod.pod().namespace())
        .put("name", pod.pod().name())
        .put("uid", pod.uid())
        .put("resourceVersion", pod.resourceVersion());
    body.put("type", type(event.weight()))
        .put("reason", event.reason())
        .put("message", cut(event.message()))
        .put("firstTimestamp", now)
        .put("lastTimestamp", now)
        .put("count", 1)
        .put("reportingComponent", COMPONENT)
        .put("reportingInstance", identity);
    body.putObject("source").put("component", COMPONENT);
    return body;
  }

  private static String type(PodEvent.Weight weight) {
    return switch (weight) {
      case NORMAL -> "Normal";
      case WARNING -> "Warning";
    };
  }

  /** At most the bytes of an Event, without half a character. */
  static String cut(String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_MESSAGE_BYTES) {
      return message;
    }
    int end = MAX_MESSAGE_BYTES - CUT.getBytes(StandardCharsets.UTF_8).length;
    while ((bytes[end] & 0xC0) == 0x80) { // the middle of a character
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8) + CUT;
  }
}

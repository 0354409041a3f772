package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClusterPod;
import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.OutOfMemorySigns;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Life;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.cluster.WatchedPod.Scheduling;
import dev.cotenant.admission.cluster.WatchedPod.Unschedulable;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.domain.InputException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a pod's JSON. Of a pod without a GPU request only its footprint on the node is read, unless
 * it has a grant: users may change the request later. Not safe for use by many threads.
 */
public final class PodReader {
  /** Longer values are not in use; stored for thirty thousand pods they would exhaust the heap. */
  private static final int MAX_VALUE_LENGTH = 8_192;

  /** The scheduler's message has a part for each cause, and at most so much is stored. */
  private static final int MAX_MESSAGE_LENGTH = 1_024;

  private final PodRequestReader requests = new PodRequestReader();
  private final FootprintReader footprints = new FootprintReader();

  /**
   * Reads a pod; empty where it neither has to do with GPUs nor takes anything of a node.
   *
   * @throws InputException where a field is missing or has the wrong type
   */
  public Optional<ClusterPod> any(JsonNode pod) {
    Optional<ClusterPod> watched = read(pod).map(ClusterPod.class::cast);
    return watched.isPresent() ? watched : plain(pod);
  }

  private Optional<ClusterPod> plain(JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    @Nullable String node = Json.text(pod.path("spec"), "nodeName");
    return node == null || phase(pod.path("status")).isFinished()
        ? Optional.empty()
        : Optional.of(
            new PlainPod(
                Json.required(metadata, "uid"),
                Json.required(metadata, "namespace"),
                node,
                footprints.read(pod)));
  }

  /**
   * Reads a pod; empty without a GPU request, gate or grant.
   *
   * @throws InputException where a field is missing or has the wrong type
   */
  public Optional<WatchedPod> read(JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    String namespace = Json.required(metadata, "namespace");
    PodIdentity identity = new PodIdentity(namespace, Json.required(metadata, "name"), null);
    PodRequest request = requests.read(pod, namespace);
    Scheduling scheduling = scheduling(pod.path("spec"));
    if (request instanceof PodRequest.NoGpu
        && !scheduling.gates().contains(WatchedPod.GATE)
        && !metadata.path("annotations").has(CotenantAnnotations.ASSIGNED_GPU)) {
      return Optional.empty();
    }
    return Optional.of(
        new WatchedPod(
            Json.required(metadata, "uid"),
            Json.required(metadata, "resourceVersion"),
            identity,
            request,
            annotations(metadata.path("annotations")),
            scheduling,
            life(pod, request),
            metadata.path("annotations").isObject(),
            footprints.read(pod)));
  }

  private static Map<String, String> annotations(JsonNode all) {
    Map<String, String> ours = new HashMap<>();
    Json.texts(all)
        .forEach((name, value) -> {
          if ((name.startsWith(CotenantAnnotations.PREFIX)
                  || ForeignGpus.ANNOTATIONS.contains(name))
              && value.length() <= MAX_VALUE_LENGTH) {
            ours.put(name, value);
          }
        });
    return ours;
  }

  private static Scheduling scheduling(JsonNode spec) {
    List<String> gates = new ArrayList<>();
    for (JsonNode gate : spec.path("schedulingGates")) {
      gates.add(Json.required(gate, "name"));
    }
    return new Scheduling(
        gates,
        Json.text(spec, "nodeName"),
        NodeRequirementsReader.read(spec),
        spec.path("priority").asInt(0),
        spec.path("nodeSelector").isObject(),
        Json.textOr(spec, "schedulerName", Scheduling.DEFAULT_SCHEDULER),
        !Json.textOr(spec, "preemptionPolicy", "").equals("Never"));
  }

  private static Life life(JsonNode pod, PodRequest request) {
    JsonNode metadata = pod.path("metadata");
    JsonNode status = pod.path("status");
    return new Life(
        instant(Json.required(metadata, "creationTimestamp")),
        startedAt(status, request),
        phase(status),
        Json.text(metadata, "deletionTimestamp") != null,
        isOutOfMemory(status),
        owner(metadata),
        unschedulable(status));
  }

  private static @Nullable Unschedulable unschedulable(JsonNode status) {
    for (JsonNode condition : status.path("conditions")) {
      if ("PodScheduled".equals(Json.text(condition, "type"))) {
        boolean refused =
            "False".equals(Json.text(condition, "status"))
                && "Unschedulable".equals(Json.text(condition, "reason"));
        @Nullable String since = Json.text(condition, "lastTransitionTime");
        String message = Json.textOr(condition, "message", "no message");
        return refused && since != null
            ? new Unschedulable(
                instant(since),
                message.substring(0, Math.min(message.length(), MAX_MESSAGE_LENGTH)),
                Json.text(status, "nominatedNodeName"))
            : null;
      }
    }
    return null;
  }

  /** Pods of an unreachable node have phase Unknown: they may still run. */
  private static Phase phase(JsonNode status) {
    return switch (Json.textOr(status, "phase", "Pending")) {
      case "Pending" -> Phase.PENDING;
      case "Succeeded" -> Phase.SUCCEEDED;
      case "Failed" -> Phase.FAILED;
      default -> Phase.RUNNING;
    };
  }

  /** Start of the GPU's container; of any container if it is unknown. */
  private static @Nullable Instant startedAt(JsonNode status, PodRequest request) {
    for (JsonNode container : containers(status)) {
      @Nullable String started = Json.text(container.path("state").path("running"), "startedAt");
      if (started != null && hasTheGpu(container, request)) {
        return instant(started);
      }
    }
    return null;
  }

  private static boolean hasTheGpu(JsonNode container, PodRequest request) {
    return switch (request) {
      case PodRequest.Colocatable colocatable ->
          colocatable.gpu().container().equals(Json.text(container, "name"));
      case PodRequest.MigInstance mig -> mig.container().equals(Json.text(container, "name"));
      case PodRequest.NoGpu _, PodRequest.OptedOut _, PodRequest.Invalid _ -> true;
    };
  }

  private static boolean isOutOfMemory(JsonNode status) {
    for (JsonNode container : containers(status)) {
      if (OutOfMemorySigns.in(container.path("state").path("terminated"))
          || OutOfMemorySigns.in(container.path("lastState").path("terminated"))) {
        return true;
      }
    }
    return false;
  }

  private static List<JsonNode> containers(JsonNode status) {
    List<JsonNode> all = new ArrayList<>();
    status.path("containerStatuses").forEach(all::add);
    status.path("initContainerStatuses").forEach(all::add);
    return all;
  }

  private static @Nullable String owner(JsonNode metadata) {
    for (JsonNode owner : metadata.path("ownerReferences")) {
      if (owner.path("controller").asBoolean(false)) {
        return Json.required(owner, "kind") + "/" + Json.required(owner, "name");
      }
    }
    return null;
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw Json.malformed("has an invalid time");
    }
  }
}

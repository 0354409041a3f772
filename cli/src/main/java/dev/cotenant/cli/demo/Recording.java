package dev.cotenant.cli.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The objects that an API server would have had when a cluster was recorded. */
final class Recording {
  /** How often a device plugin offers a GPU. */
  private static final int OFFERED = 4;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Recording() {}

  static ObjectNode namespace(String name) {
    ObjectNode namespace = object("Namespace", name);
    namespace.withObject("/metadata/labels").put("cotenant.dev/colocation", "enabled");
    return namespace;
  }

  static ObjectNode node(String name, List<GpuReading> gpus) {
    ObjectNode node = object("Node", name);
    node.withObject("/metadata/labels")
        .put("kubernetes.io/hostname", name)
        .put("nvidia.com/gpu.product", gpus.getFirst().device().productName().replace(' ', '-'))
        .put("nvidia.com/gpu.count", String.valueOf(gpus.size()))
        .put("nvidia.com/gpu.replicas", String.valueOf(OFFERED));
    node.putObject("spec");
    node.withObject("/status/allocatable")
        .put("cpu", "64")
        .put("memory", "512Gi")
        .put("pods", "110")
        .put("nvidia.com/gpu", String.valueOf(OFFERED * gpus.size()));
    return node;
  }

  /** The tenants and whole holders of all GPUs, running. */
  static List<ObjectNode> pods(RecordedCluster recorded) {
    List<ObjectNode> pods = new ArrayList<>();
    for (GpuReading gpu : recorded.gpus()) {
      switch (gpu.tenancy()) {
        case Tenancy.Mig _ -> {}
        case Tenancy.Exclusive(String holder) ->
            pods.add(granted(holder, gpu, GrantAnnotations.EXCLUSIVE, recorded.recordedAt()));
        case Tenancy.Shared(List<Tenant> tenants) -> {
          for (Tenant tenant : tenants) {
            ObjectNode pod =
                granted(tenant.name(), gpu, GrantAnnotations.ADMITTED, recorded.recordedAt());
            pod.withObject("/metadata/annotations")
                .put(
                    CotenantAnnotations.PREDICTED_UTILIZATION,
                    percent(tenant.utilization().upper().percent()))
                .put(
                    CotenantAnnotations.PREDICTED_UTILIZATION_MEAN,
                    percent(tenant.utilization().mean().percent()))
                .put(
                    CotenantAnnotations.PREDICTED_MEMORY,
                    Math.ceilDiv(tenant.peakMemory().upper().bytes(), MemorySize.MIB) + "Mi");
            pods.add(pod);
          }
        }
      }
    }
    return pods;
  }

  private static String percent(double percent) {
    return String.format(Locale.ROOT, "%.1f", percent);
  }

  private static ObjectNode granted(String pod, GpuReading gpu, String decision, Instant at) {
    int slash = pod.indexOf('/');
    ObjectNode object = object("Pod", pod.substring(slash + 1));
    object
        .withObject("/metadata")
        .put("namespace", pod.substring(0, slash))
        .put("creationTimestamp", at.truncatedTo(ChronoUnit.SECONDS).toString());
    object
        .withObject("/metadata/annotations")
        .put(CotenantAnnotations.ADMISSION_ID, "recorded-" + pod.replace('/', '-'))
        .put(CotenantAnnotations.GRANTED_AT, at.toString())
        .put(CotenantAnnotations.ASSIGNED_NODE, gpu.node())
        .put(CotenantAnnotations.ASSIGNED_GPU, gpu.uuid())
        .put(CotenantAnnotations.DECISION, decision)
        .put(CotenantAnnotations.REASON, "as it was recorded");
    ObjectNode container = object.withObject("/spec").putArray("containers").addObject();
    container.put("name", "main").put("image", "recorded");
    container.withObject("/resources/limits").put("nvidia.com/gpu", "1");
    run(object, gpu.node(), at);
    return object;
  }

  /** Binds a pod and lets it run. */
  static void run(ObjectNode pod, String node, Instant at) {
    String started = at.truncatedTo(ChronoUnit.SECONDS).toString();
    pod.withObject("/spec").put("nodeName", node);
    ObjectNode status = pod.putObject("status").put("phase", "Running").put("startTime", started);
    status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
    ObjectNode container = status.putArray("containerStatuses").addObject();
    container.put("name", pod.at("/spec/containers/0/name").asText()).put("restartCount", 0);
    container.put("ready", true).withObject("/state/running").put("startedAt", started);
  }

  private static ObjectNode object(String kind, String name) {
    ObjectNode object = JSON.objectNode().put("apiVersion", "v1").put("kind", kind);
    object.putObject("metadata").put("name", name);
    return object;
  }
}

package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * A ClusterQueue of Kueue with quotas of what pods of the sharing layers request, all on nodes with
 * one product of GPU, and its LocalQueue in each of some namespaces.
 */
final class GpuQueue implements AutoCloseable {
  static final String NAME = "gpus";
  static final String LABEL = "kueue.x-k8s.io/queue-name";
  static final String MEMORY = "nvidia.com/gpumem";

  private static final String API = "/apis/kueue.x-k8s.io/v1beta1/";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> RESOURCES =
      List.of(
          GpuNode.GPU,
          MEMORY,
          "volcano.sh/vgpu-memory",
          "volcano.sh/vgpu-number",
          "koordinator.sh/gpu-memory",
          "koordinator.sh/gpu.shared",
          "aliyun.com/gpu-mem",
          "aliyun.com/gpu-count");
  private static final long PLENTY = 1L << 40;

  private final Kube admin;
  private final List<String> namespaces;

  GpuQueue(Kube admin, List<String> namespaces) {
    this.admin = admin;
    this.namespaces = namespaces;
    ObjectNode labels = JSON.createObjectNode();
    labels.putObject("nodeLabels").put(GpuNode.PRODUCT, GpuNode.named("any").productLabel());
    create(API + "resourceflavors", "ResourceFlavor", labels);
    ObjectNode spec = quotas(RESOURCES, PLENTY);
    spec.putObject("namespaceSelector");
    create(API + "clusterqueues", "ClusterQueue", spec);
    for (String namespace : namespaces) {
      create(
          in(namespace) + "localqueues",
          "LocalQueue",
          JSON.createObjectNode().put("clusterQueue", NAME));
    }
  }

  private void create(String path, String kind, ObjectNode spec) {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "kueue.x-k8s.io/v1beta1").put("kind", kind);
    object.putObject("metadata").put("name", NAME);
    object.set("spec", spec);
    admin.create(path, object.toString()).required();
  }

  private static String in(String namespace) {
    return API + "namespaces/" + namespace + "/";
  }

  private static ObjectNode quotas(List<String> covers, long memory) {
    ObjectNode spec = JSON.createObjectNode();
    ObjectNode group = spec.putArray("resourceGroups").addObject();
    ArrayNode covered = group.putArray("coveredResources");
    ObjectNode flavor = group.putArray("flavors").addObject().put("name", NAME);
    ArrayNode resources = flavor.putArray("resources");
    for (String resource : covers) {
      covered.add(resource);
      resources
          .addObject()
          .put("name", resource)
          .put("nominalQuota", Long.toString(resource.equals(MEMORY) ? memory : PLENTY));
    }
    return spec;
  }

  /** Sets the quota of HAMi's memory; there is plenty of everything else. */
  void setQuota(long mebibytes) {
    set(quotas(RESOURCES, mebibytes));
  }

  /** A queue of whole GPUs, as before there was anything to share. */
  void coverGpusAlone() {
    set(quotas(List.of(GpuNode.GPU), PLENTY));
  }

  private void set(ObjectNode spec) {
    ObjectNode patch = JSON.createObjectNode();
    patch.set("spec", spec);
    admin.merge(API + "clusterqueues/" + NAME, patch.toString()).required();
  }

  /** What Kueue made of a Job, once it has. */
  JsonNode workloadOf(JsonNode job) {
    Eventually.holds(name(job) + " has a Workload", () -> find(job).isPresent());
    return find(job).orElseThrow();
  }

  private Optional<JsonNode> find(JsonNode job) {
    return admin.list(in(job.at("/metadata/namespace").asText()) + "workloads").stream()
        .filter(workload ->
            workload.at("/metadata/ownerReferences/0/uid").equals(job.at("/metadata/uid")))
        .findFirst();
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  /** The Workload of a Job that the quota admits, once it has. */
  JsonNode awaitAdmitted(JsonNode job) {
    Eventually.holds(name(job) + " is admitted", () -> is(workloadOf(job), "Admitted", "True"));
    return workloadOf(job);
  }

  /** Evicts a Job from the queue, or lets it in again. */
  void setActive(JsonNode job, boolean active) {
    JsonNode workload = workloadOf(job);
    admin
        .merge(
            in(workload.at("/metadata/namespace").asText()) + "workloads/" + name(workload),
            "{\"spec\": {\"active\": %b}}".formatted(active))
        .required();
  }

  /** Why the quota does not admit a Job, once that is said. */
  String awaitRefused(JsonNode job) {
    Eventually.holds(
        name(job) + " is refused", () -> is(workloadOf(job), "QuotaReserved", "False"));
    return condition(workloadOf(job), "QuotaReserved").orElseThrow().path("message").asText();
  }

  private static boolean is(JsonNode workload, String type, String status) {
    return condition(workload, type)
        .filter(condition -> condition.path("status").asText().equals(status))
        .isPresent();
  }

  private static Optional<JsonNode> condition(JsonNode workload, String type) {
    return StreamSupport.stream(workload.at("/status/conditions").spliterator(), false)
        .filter(condition -> condition.path("type").asText().equals(type))
        .findFirst();
  }

  /** What an admitted Workload of one set of pods is charged; empty without that resource. */
  static Optional<Long> charged(JsonNode workload, String resource) {
    return amount(
        workload.at("/status/admission/podSetAssignments/0/resourceUsage").path(resource));
  }

  /** A quantity that may be absent. */
  static Optional<Long> amount(JsonNode quantity) {
    return quantity.isMissingNode()
        ? Optional.empty()
        : Optional.of(new Quantity(quantity.asText()).getNumericalAmount().longValueExact());
  }

  /** What the queue says that its Jobs use of HAMi's memory, in MiB. */
  long used() {
    return StreamSupport.stream(status().at("/flavorsUsage/0/resources").spliterator(), false)
        .filter(resource -> resource.path("name").asText().equals(MEMORY))
        .flatMap(resource -> amount(resource.path("total")).stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Numbers of Jobs: admitted, or waiting. */
  record Counts(int admitted, int pending) {}

  Counts counts() {
    JsonNode status = status();
    return new Counts(
        status.path("admittedWorkloads").asInt(), status.path("pendingWorkloads").asInt());
  }

  private JsonNode status() {
    return admin.get(API + "clusterqueues/" + NAME).required().path("status");
  }

  /** Once the Jobs are deleted; a queue that is used stays. */
  @Override
  public void close() {
    Eventually.holds(
        "Kueue's Workloads are gone",
        () -> namespaces.stream().allMatch(one -> admin.list(in(one) + "workloads").isEmpty()));
    for (String namespace : namespaces) {
      admin.delete(in(namespace) + "localqueues/" + NAME);
    }
    for (String path : List.of(API + "clusterqueues", API + "resourceflavors")) {
      admin.delete(path + "/" + NAME);
      Eventually.holds("the queue is gone", () -> admin.list(path).isEmpty());
    }
  }
}

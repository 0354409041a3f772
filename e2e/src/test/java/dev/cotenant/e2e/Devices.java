package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;

/** GPUs of dynamic resource allocation as the driver publishes them, and claims of a namespace. */
final class Devices {
  private static final String API = "/apis/resource.k8s.io/v1/";
  private static final String CLASS = "gpu.nvidia.com";
  private static final String COUNTERS = "-counters";

  private final Kube admin;
  private final String claims;

  Devices(Kube admin, String namespace) {
    this.admin = admin;
    claims = API + "namespaces/" + namespace + "/resourceclaims";
  }

  /** Creates the device class where it is missing, and the slice of a node's first GPU. */
  void publish(GpuNode node) {
    publish(node, "");
  }

  /** Of which several claims may have a part of 40 GiB. */
  void publishDivisible(GpuNode node) {
    publish(
        node,
        ", \"allowMultipleAllocations\": true, \"capacity\": {\"memory\": {\"value\": \"40Gi\"}}");
  }

  /** Whether the API server has kept that the node's device is divisible. */
  boolean isDivisible(GpuNode node) {
    return admin
        .get(API + "resourceslices/" + node.name())
        .required()
        .at("/spec/devices/0/allowMultipleAllocations")
        .asBoolean();
  }

  /**
   * As NVIDIA's driver with its gate DynamicMIG: the GPU and its partitions consume the counters of
   * another slice. A device of 1g.5gb, two of 2g.10gb beside it, and the whole GPU.
   */
  void publishPartitions(GpuNode node, String product) {
    String uuid = node.uuids().getFirst();
    makeClass("mig.nvidia.com", "device.attributes['gpu.nvidia.com'].type == 'mig'");
    makeClass(CLASS, "device.driver == 'gpu.nvidia.com'");
    slice(
        node,
        node.name() + COUNTERS,
        2,
        """
        "sharedCounters": [{"name": "gpu-0-counter-set",
          "counters": {"memory": {"value": "40192Mi"}, "memory-slice-0": {"value": "1"},
            "memory-slice-1": {"value": "1"}, "memory-slice-2": {"value": "1"}}}]
        """);
    String gpu =
        """
        {"name": "gpu-0", "attributes": {"type": {"string": "gpu"}, "uuid": {"string": "%s"},
          "productName": {"string": "%s"}},
         "capacity": {"memory": {"value": "40192Mi"}},
         "consumesCounters": [{"counterSet": "gpu-0-counter-set",
          "counters": {"memory": {"value": "40192Mi"}, "memory-slice-0": {"value": "1"},
            "memory-slice-1": {"value": "1"}, "memory-slice-2": {"value": "1"}}}]}
        """
            .formatted(uuid, product);
    slice(
        node,
        node.name(),
        2,
        "\"devices\": [%s, %s, %s, %s]"
            .formatted(
                gpu,
                mig(uuid, product, "1g.5gb", 4864, 0),
                mig(uuid, product, "2g.10gb", 9856, 1),
                mig(uuid, product, "2g.10gb", 9856, 2)));
  }

  private static String mig(String uuid, String product, String profile, int mebibytes, int slice) {
    return """
    {"name": "gpu-0-mig-%d", "attributes": {"type": {"string": "mig"},
      "parentUUID": {"string": "%s"}, "productName": {"string": "%s"},
      "profile": {"string": "%s"}},
     "capacity": {"memory": {"value": "%dMi"}},
     "consumesCounters": [{"counterSet": "gpu-0-counter-set",
      "counters": {"memory": {"value": "%dMi"}, "memory-slice-%d": {"value": "1"}}}]}
    """
        .formatted(slice, uuid, product, profile, mebibytes, mebibytes, slice);
  }

  private void makeClass(String name, String expression) {
    if (!admin.get(API + "deviceclasses/" + name).isSuccessful()) {
      admin
          .create(
              API + "deviceclasses",
              """
              {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
               "metadata": {"name": "%s"}, "spec": {"selectors": [{"cel": {"expression": "%s"}}]}}
              """
                  .formatted(name, expression))
          .required();
    }
  }

  private void slice(GpuNode node, String name, int slices, String content) {
    admin
        .create(
            API + "resourceslices",
            """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
             "metadata": {"name": "%s"},
             "spec": {"driver": "%s", "nodeName": "%s",
              "pool": {"name": "%s", "generation": 1, "resourceSliceCount": %d}, %s}}
            """
                .formatted(name, CLASS, node.name(), node.name(), slices, content))
        .required();
  }

  private void publish(GpuNode node, String more) {
    makeClass(CLASS, "device.driver == 'gpu.nvidia.com'");
    slice(
        node,
        node.name(),
        1,
        "\"devices\": [{\"name\": \"gpu-0\", \"attributes\": {\"uuid\": {\"string\": \"%s\"}}%s}]"
            .formatted(node.uuids().getFirst(), more));
  }

  /** Creates a claim of one GPU. */
  void claim(String name) {
    admin
        .create(
            claims,
            """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
             "metadata": {"name": "%s"},
             "spec": {"devices": {"requests": [
              {"name": "gpu", "exactly": {"deviceClassName": "%s"}}]}}}
            """
                .formatted(name, CLASS))
        .required();
  }

  JsonNode get(String claim) {
    return admin.get(claims + "/" + claim).required();
  }

  void delete(String claim, GpuNode node) {
    admin.delete(claims + "/" + claim);
    admin.delete(API + "resourceslices/" + node.name());
    admin.delete(API + "resourceslices/" + node.name() + COUNTERS);
  }
}

package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;

/** GPUs of dynamic resource allocation as the driver publishes them, and claims of a namespace. */
final class Devices {
  private static final String API = "/apis/resource.k8s.io/v1/";
  private static final String CLASS = "gpu.nvidia.com";

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

  private void publish(GpuNode node, String more) {
    if (!admin.get(API + "deviceclasses/" + CLASS).isSuccessful()) {
      admin
          .create(
              API + "deviceclasses",
              """
              {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
               "metadata": {"name": "%s"},
               "spec": {"selectors": [{"cel": {"expression": "device.driver == '%s'"}}]}}
              """
                  .formatted(CLASS, CLASS))
          .required();
    }
    admin
        .create(
            API + "resourceslices",
            """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
             "metadata": {"name": "%s"},
             "spec": {"driver": "%s", "nodeName": "%s",
              "pool": {"name": "%s", "generation": 1, "resourceSliceCount": 1},
              "devices": [{"name": "gpu-0", "attributes": {"uuid": {"string": "%s"}}%s}]}}
            """
                .formatted(
                    node.name(), CLASS, node.name(), node.name(), node.uuids().getFirst(), more))
        .required();
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
  }
}

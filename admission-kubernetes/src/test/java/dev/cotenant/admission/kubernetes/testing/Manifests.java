package dev.cotenant.admission.kubernetes.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Objects as people write them. */
public final class Manifests {
  /** Our scheduling gate. */
  public static final String GATE = "cotenant.dev/colocation";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Manifests() {}

  public static ObjectNode json(String text) {
    try {
      return (ObjectNode) MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** A pod with one container that asks for one GPU. */
  public static ObjectNode gpuPod(String name) {
    return json(
        """
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "%s", "annotations": {"cotenant.dev/admission-id": "token-%s", "other": "x"}},
         "spec": {"containers": [{"name": "main", "image": "x",
                                  "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
         "status": {"phase": "Pending"}}
        """
            .formatted(name, name));
  }

  /** The same, held by our gate. */
  public static ObjectNode gatedPod(String name) {
    ObjectNode pod = gpuPod(name);
    pod.withObject("/spec").putArray("schedulingGates").addObject().put("name", GATE);
    return pod;
  }

  /** A pod without a GPU. */
  public static ObjectNode plainPod(String name) {
    return json(
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
         "spec": {"containers": [{"name": "main", "image": "x"}]}}
        """
            .formatted(name));
  }

  public static ObjectNode node(String name, int gpus) {
    return json(
        """
        {"apiVersion": "v1", "kind": "Node",
         "metadata": {"name": "%s", "labels": {"kubernetes.io/hostname": "%s"}},
         "spec": {}, "status": {"allocatable": {"nvidia.com/gpu": "%d"}}}
        """
            .formatted(name, name, gpus));
  }

  public static ObjectNode namespace(String name) {
    return json(
        """
        {"apiVersion": "v1", "kind": "Namespace",
         "metadata": {"name": "%s", "labels": {"cotenant.dev/colocation": "enabled"}}}
        """
            .formatted(name));
  }
}

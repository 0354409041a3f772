package dev.cotenant.admission.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Pods in JSON with single quotes. */
final class PodJson {
  private PodJson() {}

  static JsonNode gpuPod(String annotations) {
    return pod(annotations, "[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'1'}}}]");
  }

  static JsonNode pod(String annotations, String containers) {
    return json(
        "{'metadata':{'name':'p','annotations':"
            + annotations
            + "},'spec':{'containers':"
            + containers
            + "}}");
  }

  static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}

package dev.cotenant.admission.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.extender.ExtenderRequest.Full;
import dev.cotenant.admission.extender.ExtenderRequest.Named;
import dev.cotenant.admission.extender.ExtenderRequest.Nodes;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.util.Map;

/**
 * The wire format of scheduler extenders [k8s.io/kube-scheduler/extender/v1]. Its Go types have no
 * JSON tags, so keys are capitalised; they are written exactly so and read in any case.
 */
final class ExtenderCodec {
  private static final int MAX_DEPTH = 100;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxDocumentLength(Extender.MAX_BYTES)
                          .maxNumberLength(100)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /**
   * Reads arguments.
   *
   * @throws InputException ({@code arguments-too-large}, {@code not-json})
   */
  JsonNode read(byte[] body) {
    if (body.length > Extender.MAX_BYTES) {
      throw InputException.tooLarge(
          "arguments-too-large", "Arguments may have " + Extender.MAX_BYTES + " bytes at most.");
    }
    try {
      return MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      throw InputException.malformed(
          "not-json", "The arguments are not valid JSON: " + e.getOriginalMessage() + ".");
    } catch (IOException e) { // no text in the encoding that its first bytes announce
      throw InputException.malformed(
          "not-json", "The arguments are not valid JSON: " + e.getMessage() + ".");
    }
  }

  /** An ExtenderFilterResult. Nodes without a result are left out. */
  byte[] filtered(Nodes nodes, Map<String, NodeResult> results) {
    ObjectNode failed = JSON.objectNode();
    ObjectNode hopeless = JSON.objectNode();
    ArrayNode passed = JSON.arrayNode();
    ArrayNode passedInFull = JSON.arrayNode();
    for (String node : nodes.names()) {
      switch (results.get(node)) {
        case null -> {}
        case NodeResult.Full(String why) -> failed.put(node, why);
        case NodeResult.Hopeless(String why) -> hopeless.put(node, why);
        case NodeResult.Fits _ -> {
          passed.add(node);
          if (nodes instanceof Full full) {
            passedInFull.add(full.byName().get(node));
          }
        }
      }
    }
    ObjectNode result = JSON.objectNode();
    switch (nodes) {
      case Named _ -> result.putNull("Nodes").set("NodeNames", passed);
      case Full full -> {
        ObjectNode list = JSON.objectNode();
        full.list().properties().stream()
            .filter(field -> !"items".equalsIgnoreCase(field.getKey()))
            .forEach(field -> list.set(field.getKey(), field.getValue()));
        list.set("items", passedInFull);
        result.set("Nodes", list);
        result.putNull("NodeNames");
      }
    }
    result.set("FailedNodes", failed);
    result.set("FailedAndUnresolvableNodes", hopeless);
    return bytes(result.put("Error", ""));
  }

  /** An ExtenderFilterResult without nodes, with this error. */
  byte[] error(String what) {
    ObjectNode result = JSON.objectNode();
    result.putNull("Nodes").putNull("NodeNames");
    result.set("FailedNodes", JSON.objectNode());
    result.set("FailedAndUnresolvableNodes", JSON.objectNode());
    return bytes(result.put("Error", "cotenant: " + what));
  }

  /** A HostPriorityList. */
  byte[] scores(Map<String, Integer> scores) {
    ArrayNode list = JSON.arrayNode();
    scores.forEach((node, score) -> list.addObject().put("Host", node).put("Score", score));
    return bytes(list);
  }

  /** An ExtenderBindingResult of a bound pod. */
  byte[] bound() {
    return bytes(JSON.objectNode().put("Error", ""));
  }

  /** An ExtenderBindingResult with this error. */
  byte[] bindingError(String what) {
    return bytes(JSON.objectNode().put("Error", "cotenant: " + what));
  }

  /** An ExtenderPreemptionResult. */
  byte[] victims(Map<String, PreemptionRequest.Victims> victims) {
    ObjectNode nodes = JSON.objectNode();
    victims.forEach((node, there) -> {
      ObjectNode meta = nodes.putObject(node);
      ArrayNode pods = meta.putArray("Pods");
      there.uids().forEach(uid -> pods.addObject().put("UID", uid));
      meta.put("NumPDBViolations", there.budgetViolations());
    });
    ObjectNode result = JSON.objectNode();
    result.set("NodeNameToMetaVictims", nodes);
    return bytes(result);
  }

  private static byte[] bytes(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }
}

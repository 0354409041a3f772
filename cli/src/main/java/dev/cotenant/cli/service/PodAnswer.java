package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the webhook made of a pod. */
sealed interface PodAnswer {
  /** Admitted onto the GPUs that the annotations name. */
  record Admitted(Map<String, String> annotations) implements PodAnswer {}

  /** Not changed: it requests no share, or has opted out. */
  record Unmanaged() implements PodAnswer {}

  /**
   * Refused.
   *
   * @param reasons numbered reasons, one line each; the whole message if it has none; never empty
   */
  record Refused(List<String> reasons) implements PodAnswer {}

  /** Reads the review that a webhook answered with. */
  static PodAnswer of(JsonNode review) throws IOException {
    JsonNode response = review.path("response");
    if (!response.path("allowed").asBoolean()) {
      return new Refused(reasons(response.path("status").path("message").asText()));
    }
    Map<String, String> annotations = Patch.annotations(response.path("patch"));
    return annotations.isEmpty() ? new Unmanaged() : new Admitted(annotations);
  }

  private static List<String> reasons(String message) {
    List<String> numbered = message.lines().filter(line -> line.matches("\\d+\\. .*")).toList();
    return numbered.isEmpty() ? List.of(message) : numbered;
  }

  /** The JSON patch of an answer. */
  final class Patch {
    private static final String ANNOTATIONS = "/metadata/annotations";
    private static final byte[] NO_PATCH = {'[', ']'};
    private static final ObjectReader JSON = JsonMapper.builder().build().readerFor(JsonNode.class);

    private Patch() {}

    /** The operations of the review's patch; none where it has no patch. */
    static JsonNode of(JsonNode review) throws IOException {
      JsonNode patch = review.at("/response/patch");
      return JSON.readTree(
          patch.isTextual() ? Base64.getDecoder().decode(patch.textValue()) : NO_PATCH);
    }

    /** Added annotations, from single additions or a whole map. */
    private static Map<String, String> annotations(JsonNode patch) throws IOException {
      Map<String, String> added = new TreeMap<>();
      if (patch.isTextual()) {
        JsonNode operations = JSON.readTree(Base64.getDecoder().decode(patch.textValue()));
        operations.forEach(
            operation -> collect(operation.path("path").asText(), operation.path("value"), added));
      }
      return added;
    }

    private static void collect(String path, JsonNode value, Map<String, String> added) {
      if (path.equals(ANNOTATIONS)) {
        value.properties().forEach(e -> added.put(e.getKey(), e.getValue().asText()));
      } else if (path.startsWith(ANNOTATIONS + "/")) {
        String name = path.substring(ANNOTATIONS.length() + 1);
        added.put(name.replace("~1", "/").replace("~0", "~"), value.asText());
      }
    }
  }
}

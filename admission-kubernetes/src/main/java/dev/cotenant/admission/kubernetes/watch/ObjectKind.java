package dev.cotenant.admission.kubernetes.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.Optional;
import java.util.function.Function;

/**
 * A kind of watched objects.
 *
 * @param name for people and metrics, {@code pods}
 * @param path of its list
 * @param selector of labels; empty for all
 * @param key identifies an object during its life
 * @param reader reads one; empty for an irrelevant one
 */
record ObjectKind<T>(
    String name,
    String path,
    String selector,
    Function<JsonNode, String> key,
    Function<JsonNode, Optional<T>> reader) {

  /** The query of a list or a watch. */
  String query(String first) {
    String selected = selector.isEmpty() ? "" : "&labelSelector=" + ApiCall.escaped(selector);
    return path + "?" + first + selected;
  }

  static String uid(JsonNode object) {
    return Json.required(object.path("metadata"), "uid");
  }

  static String name(JsonNode object) {
    return Json.required(object.path("metadata"), "name");
  }
}

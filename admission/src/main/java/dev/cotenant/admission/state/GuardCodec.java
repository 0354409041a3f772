package dev.cotenant.admission.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.guard.Signal;
import java.time.Instant;

/** The guard's notes as JSON; reading throws IllegalArgumentException or DateTimeException. */
final class GuardCodec {
  private GuardCodec() {}

  static Incident incident(JsonNode json) {
    Incident.Cause cause =
        new Incident.Cause(
            json.path("victim").asText(),
            json.path("newcomer").asText(),
            Signal.valueOf(json.path("signal").asText()));
    String namespace = json.path("namespace").asText();
    if (!json.has("move")) {
      return Incident.observed(cause, namespace, Instant.EPOCH);
    }
    return new Incident(
        cause,
        namespace,
        json.path("gpu").asText(),
        at(json),
        json.path("value").asDouble(),
        json.path("limit").asDouble(),
        json.path("closed").asBoolean(),
        Incident.Move.valueOf(json.path("move").asText()));
  }

  /** Of those that were only reported, the cause alone. */
  static ArrayNode incidents(GuardNotes notes) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (Incident one : notes.incidents()) {
      ObjectNode json =
          all.addObject()
              .put("victim", one.cause().victim())
              .put("newcomer", one.cause().newcomer())
              .put("signal", one.cause().signal().name())
              .put("namespace", one.namespace());
      if (!one.isObserved()) {
        json.put("gpu", one.gpu())
            .put("at", one.at().toString())
            .put("value", one.value())
            .put("limit", one.limit())
            .put("closed", one.isClosed())
            .put("move", one.move().name());
      }
    }
    return all;
  }

  static GuardNotes.Pair pair(JsonNode json) {
    return new GuardNotes.Pair(json.path("one").asText(), json.path("other").asText(), at(json));
  }

  static ArrayNode pairs(GuardNotes notes) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (GuardNotes.Pair pair : notes.pairs()) {
      all.addObject()
          .put("one", pair.one())
          .put("other", pair.other())
          .put("at", pair.since().toString());
    }
    return all;
  }

  static GuardNotes.Eviction eviction(JsonNode json) {
    return new GuardNotes.Eviction(
        json.path("namespace").asText(), json.path("pod").asText(), at(json));
  }

  static ArrayNode evictions(GuardNotes notes) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (GuardNotes.Eviction eviction : notes.evictions()) {
      all.addObject()
          .put("namespace", eviction.namespace())
          .put("pod", eviction.uid())
          .put("at", eviction.at().toString());
    }
    return all;
  }

  private static Instant at(JsonNode json) {
    return Instant.parse(json.path("at").asText());
  }
}

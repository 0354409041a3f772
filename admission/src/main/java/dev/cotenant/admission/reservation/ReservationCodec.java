package dev.cotenant.admission.reservation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.Granted;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reservation as one line of JSON with all numbers of its capacity, so that the next leader
 * counts it equally. The evidence comes back as its sentence.
 */
final class ReservationCodec {
  private static final int FORMAT = 1;
  private static final int MAX_GPUS = 64;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ReservationCodec() {}

  static String write(Reservation reservation) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT).put("version", reservation.version());
    json.put("created_at", reservation.createdAt().toString());
    json.put("expires_at", reservation.expiresAt().toString());
    RequestKey key = reservation.key();
    json.putObject("key")
        .put("caller", key.caller())
        .put("name", key.name())
        .put("fingerprint", key.fingerprint());
    json.set("request", CapacityRequestCodec.write(reservation.request()));
    BoundPod pod = reservation.boundTo();
    if (pod != null) {
      json.putObject("pod")
          .put("namespace", pod.namespace())
          .put("name", pod.name())
          .put("uid", pod.uid());
    }
    Granted capacity = reservation.capacity();
    json.put("extent", capacity.extent().name());
    json.put("slowdown", capacity.slowdownLimit().ratio());
    json.put("risk_budget", capacity.risk().budget());
    json.put("risk_rule", capacity.risk().rule().name());
    RiskLimit.Exploration exploration = capacity.risk().exploration();
    if (exploration.areAllowed()) {
      json.put("trial_share", exploration.share());
      json.put("trial_risk", exploration.mostRisk());
      json.put("in_trial", exploration.isOne());
    }
    json.put("evidence", capacity.admitted().evidence().sentence());
    ArrayNode grants = json.putArray("grants");
    for (Grant grant : capacity.admitted().grants()) {
      ObjectNode one = grants.addObject().put("gpu", grant.gpuUuid()).put("node", grant.node());
      if (grant.prediction() != null) {
        one.set("prediction", PredictionCodec.write(grant.prediction()));
      }
    }
    return json.toString();
  }

  /**
   * Reads one back.
   *
   * @throws InputException ({@code malformed-reservation}) on any error
   */
  static Reservation read(String id, String line) {
    try {
      JsonNode json = MAPPER.readTree(line);
      if (json == null || json.path("format").asInt() != FORMAT) {
        throw malformed("is of no known format");
      }
      return read(id, json);
    } catch (JsonProcessingException e) {
      throw malformed("is not valid JSON");
    } catch (IllegalArgumentException | DateTimeException e) {
      throw malformed("cannot be: " + e.getMessage());
    }
  }

  private static Reservation read(String id, JsonNode json) {
    JsonNode key = json.path("key");
    JsonNode pod = json.path("pod");
    @Nullable BoundPod bound =
        pod.isMissingNode()
            ? null
            : new BoundPod(text(pod, "namespace"), text(pod, "name"), text(pod, "uid"));
    return new Reservation(
        id,
        new RequestKey(text(key, "caller"), text(key, "name"), text(key, "fingerprint")),
        CapacityRequestCodec.read(json.path("request")),
        granted(json),
        Instant.parse(text(json, "created_at")),
        Instant.parse(text(json, "expires_at")),
        json.path("version").asInt(1),
        bound);
  }

  private static Granted granted(JsonNode json) {
    Extent extent = Extent.valueOf(text(json, "extent"));
    List<Grant> grants = new ArrayList<>();
    for (JsonNode grant : json.path("grants")) {
      JsonNode prediction = grant.path("prediction");
      if (prediction.isMissingNode() && extent == Extent.SHARE) {
        throw malformed("shares a GPU without a prediction");
      }
      grants.add(
          new Grant(
              text(grant, "gpu"),
              text(grant, "node"),
              prediction.isMissingNode() ? null : PredictionCodec.read(prediction)));
    }
    boolean onOneNode = grants.stream().map(Grant::node).distinct().count() == 1;
    if (!onOneNode || grants.size() > MAX_GPUS) {
      throw malformed("holds no GPUs of one node");
    }
    return new Granted(
        new Decision.Admitted(grants, new Evidence.Recorded(text(json, "evidence"))),
        extent,
        Slowdown.ofRatio(json.path("slowdown").asDouble()),
        risk(json));
  }

  /** None where an earlier release has written it. */
  private static RiskLimit risk(JsonNode json) {
    if (!json.has("risk_rule")) {
      return RiskLimit.NONE;
    }
    RiskLimit risk =
        new RiskLimit(
            json.path("risk_budget").asDouble(), RiskLimit.Rule.valueOf(text(json, "risk_rule")));
    return json.has("trial_share")
        ? risk.withExploration(
            new RiskLimit.Exploration(
                json.path("trial_share").asDouble(),
                json.path("trial_risk").asDouble(),
                json.path("in_trial").asBoolean()))
        : risk;
  }

  static String text(JsonNode parent, String field) {
    JsonNode node = parent.path(field);
    if (!node.isTextual()) {
      throw malformed("has no " + field);
    }
    return node.textValue();
  }

  static InputException malformed(String what) {
    return InputException.malformed(
        "malformed-reservation", "A persisted reservation " + what + ".");
  }
}

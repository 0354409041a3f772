package dev.cotenant.service.rest;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** The problem documents with which an operation can answer. */
final class OpenApiRefusals {
  private static final Map<String, String> MEANINGS =
      Map.ofEntries(
          Map.entry("400", "The request is malformed; `code` and `detail` give the cause"),
          Map.entry("401", "No token, or an invalid one (token-required)"),
          Map.entry("403", "The caller lacks the right that `detail` names (forbidden)"),
          Map.entry("404", "Object not found; `code` names its kind"),
          Map.entry(
              "409",
              "Conflict with the current state of the object; `code` and `detail` give the cause"),
          Map.entry("410", "The object no longer exists: list again, or reserve again"),
          Map.entry("412", "If-Match does not match the current version"),
          Map.entry("413", "The body is too large, or has too many entries"),
          Map.entry("415", "The operation does not support this Content-Type"),
          Map.entry(
              "422", "The body is well-formed but invalid; `code` and `detail` give the cause"),
          Map.entry(
              "428",
              "A different model has this name; send `If-Match` to replace it (model-exists)"),
          Map.entry(
              "429", "Too many recent requests with unknown tokens (too-many-unknown-tokens)"),
          Map.entry(
              "503",
              "The API server that authenticates callers and checks their rights does not respond"
                  + " (tokens-unavailable, authorization-unavailable), or another dependency of the"
                  + " call is unavailable"),
          Map.entry("507", "The store is full; `detail` names what to delete"));

  private static final Set<String> OF_ALL = Set.of("400", "401", "403", "429", "503");
  private static final Set<String> OF_BODIES = Set.of("413", "415", "422");

  /** What follows neither from the path nor from the parameters nor from a body. */
  private static final Map<String, Set<String>> OF_CALLS =
      Map.ofEntries(
          Map.entry("POST /v1/predictions", Set.of("404")),
          Map.entry("POST /v1/decisions", Set.of("404")),
          Map.entry("POST /v1/plans", Set.of("404")),
          Map.entry("POST /v1/reservations", Set.of("404", "409")),
          Map.entry("POST /v1/reservations/{id}/confirm", Set.of("409", "410", "412")),
          Map.entry("PUT /v1/models/{name}", Set.of("412", "428", "507")),
          Map.entry("DELETE /v1/models/{name}", Set.of("409")),
          Map.entry("POST /v1/profiles", Set.of("507")),
          Map.entry("DELETE /v1/profiles", Set.of("404")),
          Map.entry("POST /v1/predictors", Set.of("409", "507")),
          Map.entry("DELETE /v1/predictors/{version}", Set.of("409")),
          Map.entry("POST /v1/predictors/{version}/promotion", Set.of("409")),
          Map.entry("POST /v1/predictors/rollback", Set.of("409")),
          Map.entry("POST /v1/constants/rollback", Set.of("409")),
          Map.entry("POST /v1/trainings", Set.of("409")),
          Map.entry("DELETE /v1/trainings/{id}", Set.of("409")),
          Map.entry("POST /v1/what-if", Set.of("409")),
          Map.entry("GET /v1/kv-caches", Set.of("404", "409")),
          Map.entry("GET /v1/recommendations", Set.of("404", "409")));

  private OpenApiRefusals() {}

  /** Adds them where the operation does not describe them itself. */
  static void addTo(Operation operation, String method, String path) {
    for (String status : of(operation, method, path)) {
      APIResponse described = operation.getResponses().getAPIResponse(status);
      if (described == null) {
        operation.getResponses().addAPIResponse(status, refusal(status));
      } else if (described.getContent() == null) { // of the framework
        described.setContent(refusal(status).getContent());
      }
    }
  }

  private static Set<String> of(Operation operation, String method, String path) {
    Set<String> statuses = new HashSet<>(OF_ALL);
    statuses.addAll(OF_CALLS.getOrDefault(method + " " + path, Set.of()));
    if (path.contains("{")) {
      statuses.add("404");
    }
    if (operation.getRequestBody() != null) {
      statuses.addAll(OF_BODIES);
    }
    if (Objects.requireNonNullElse(operation.getParameters(), List.<Parameter>of()).stream()
        .anyMatch(parameter -> "continue".equals(parameter.getName()))) {
      statuses.add("410");
    }
    return statuses;
  }

  private static APIResponse refusal(String status) {
    return OASFactory.createAPIResponse()
        .description(MEANINGS.get(status))
        .content(
            OASFactory.createContent()
                .addMediaType(
                    ProblemView.MEDIA_TYPE,
                    OASFactory.createMediaType()
                        .schema(OASFactory.createSchema().ref(ProblemView.class.getSimpleName()))));
  }
}

package dev.cotenant.service.access;

import static dev.cotenant.service.access.Role.EDITOR;
import static dev.cotenant.service.access.Role.OPERATOR;
import static dev.cotenant.service.access.Role.SCHEDULER;
import static dev.cotenant.service.access.Role.VIEWER;

import dev.cotenant.admission.access.Permission;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Required scope and role of every call; calls missing here are refused. The ClusterRoles of the
 * chart and the table in docs/threat-model.md are compared with it by tests.
 */
public enum Endpoint {
  LIST_DEVICES("GET /v1/devices", "list devices", Scope.CLUSTER, VIEWER),
  LIST_MODELS("GET /v1/models", "list models", Scope.CLUSTER, VIEWER),
  GET_MODEL("GET /v1/models/{name}", "get models", Scope.CLUSTER, VIEWER),
  DELETE_MODEL("DELETE /v1/models/{name}", "delete models", Scope.CLUSTER, OPERATOR),
  PUT_MODEL("PUT /v1/models/{name}", "update models", Scope.CLUSTER, EDITOR),
  PREDICT("POST /v1/predictions", "create predictions", Scope.CLUSTER, EDITOR),
  PLAN("POST /v1/plans", "create plans", Scope.CLUSTER, EDITOR),
  LIST_FLEETS("GET /v1/fleets", "list fleets", Scope.CLUSTER, VIEWER),
  GET_FLEET("GET /v1/fleets/{name}", "get fleets", Scope.CLUSTER, VIEWER),
  ADD_FLEET("POST /v1/fleets", "create fleets", Scope.CLUSTER, OPERATOR),
  DELETE_FLEET("DELETE /v1/fleets/{name}", "delete fleets", Scope.CLUSTER, OPERATOR),
  LIST_PREDICTORS("GET /v1/predictors", "list predictors", Scope.CLUSTER, VIEWER),
  ADD_PREDICTOR("POST /v1/predictors", "create predictors", Scope.CLUSTER, EDITOR),
  DELETE_PREDICTOR("DELETE /v1/predictors/{version}", "delete predictors", Scope.CLUSTER, OPERATOR),
  PROMOTE("POST /v1/predictors/{version}/promotion", "promote predictors", Scope.CLUSTER, OPERATOR),
  ROLL_BACK("POST /v1/predictors/rollback", "rollback predictors", Scope.CLUSTER, OPERATOR),
  LIST_PROFILES("GET /v1/profiles", "list profiles", Scope.CLUSTER, VIEWER),
  WITHDRAW_PROFILES("DELETE /v1/profiles", "delete profiles", Scope.CLUSTER, OPERATOR),
  WITHDRAW_PROFILE("DELETE /v1/profiles/{number}", "delete profiles", Scope.CLUSTER, OPERATOR),
  ADD_PROFILES("POST /v1/profiles", "create profiles", Scope.BODY, EDITOR),
  LIST_CONSTANTS("GET /v1/constants", "list constants", Scope.QUERY, VIEWER),
  ROLL_BACK_CONSTANTS("POST /v1/constants/rollback", "rollback constants", Scope.BODY, OPERATOR),
  LIST_KV_CACHES("GET /v1/kv-caches", "list kvcaches", Scope.QUERY, VIEWER),
  LIST_RECOMMENDATIONS("GET /v1/recommendations", "list recommendations", Scope.QUERY, VIEWER),
  ADD_SPEEDS("POST /v1/speeds", "create speeds", Scope.BODY, EDITOR),
  LIST_SERVICE_PROFILES("GET /v1/service-profiles", "list serviceprofiles", Scope.QUERY, VIEWER),
  ADD_SERVICE_PROFILES("POST /v1/service-profiles", "create serviceprofiles", Scope.QUERY, EDITOR),
  DELETE_SERVICE_PROFILES(
      "DELETE /v1/service-profiles/{name}", "delete serviceprofiles", Scope.QUERY, EDITOR),
  LIST_TRAININGS("GET /v1/trainings", "list trainings", Scope.CLUSTER, VIEWER),
  GET_TRAINING("GET /v1/trainings/{id}", "get trainings", Scope.CLUSTER, VIEWER),
  TRAIN("POST /v1/trainings", "create trainings", Scope.CLUSTER, OPERATOR),
  CANCEL_TRAINING("DELETE /v1/trainings/{id}", "delete trainings", Scope.CLUSTER, OPERATOR),
  SHOW_REPLAY("GET /v1/what-if", "list replays", Scope.CLUSTER, VIEWER),
  REPLAY("POST /v1/what-if", "create replays", Scope.CLUSTER, EDITOR),
  LIST_GPUS("GET /v1/gpus", "list gpus", Scope.QUERY, VIEWER),
  GET_GPU("GET /v1/gpus/{uuid}", "get gpus", Scope.QUERY, VIEWER),
  GPU_HISTORY("GET /v1/gpus/{uuid}/history", "get gpus", Scope.QUERY, VIEWER),
  SHOW_HISTORY("GET /v1/history", "list gpus", Scope.QUERY, VIEWER),
  SCRAPE_CHARGEBACK("GET /v1/chargeback", "list gpus", Scope.QUERY, VIEWER),
  STREAM_EVENTS("GET /v1/events", "list gpus", Scope.QUERY, VIEWER),
  FORECAST_GPU("GET /v1/gpus/{uuid}/forecast", "get gpus", Scope.QUERY, VIEWER),
  LIST_DECISIONS("GET /v1/decisions", "list decisions", Scope.QUERY, VIEWER),
  DECIDE("POST /v1/decisions", "create decisions", Scope.BODY, EDITOR),
  LIST_EVIDENCE("GET /v1/evidence", "list decisions", Scope.QUERY, VIEWER),
  LIST_SHORTAGES("GET /v1/memory-shortages", "list memoryshortages", Scope.QUERY, VIEWER),
  DELETE_SHORTAGES("DELETE /v1/memory-shortages", "delete memoryshortages", Scope.QUERY, EDITOR),
  LIST_QUEUE("GET /v1/queue", "list queue", Scope.QUERY, VIEWER),
  EXPLAIN("GET /v1/explain/{namespace}/{pod}", "get explanations", Scope.PATH, VIEWER),
  RESERVE("POST /v1/reservations", "create reservations", Scope.BODY, EDITOR),
  GET_RESERVATION("GET /v1/reservations/{id}", "get reservations", Scope.OBJECT, VIEWER),
  CONFIRM_RESERVATION(
      "POST /v1/reservations/{id}/confirm", "update reservations", Scope.OBJECT, EDITOR),
  DELETE_RESERVATION("DELETE /v1/reservations/{id}", "delete reservations", Scope.OBJECT, EDITOR),
  FILTER("POST /extender/filter", "create extender", Scope.CLUSTER, SCHEDULER),
  PRIORITIZE("POST /extender/prioritize", "create extender", Scope.CLUSTER, SCHEDULER),
  BIND("POST /extender/bind", "create extender", Scope.CLUSTER, SCHEDULER),
  PREEMPT("POST /extender/preempt", "create extender", Scope.CLUSTER, SCHEDULER);

  /** Namespace of a permission. */
  public enum Scope {
    /** None: the whole cluster, which a right in a namespace never covers. */
    CLUSTER("the whole cluster"),
    /** That of the query parameter, and the answer shows that one alone; else the whole cluster. */
    QUERY("`?namespace=`, else the whole cluster"),
    /** That of the path. */
    PATH("the path's"),
    /** That of the pod or workload in the body. */
    BODY("the pod's or workload's"),
    /** That of the object, whose creator needs no right. */
    OBJECT("the reservation's; its creator needs no right");

    private final String words;

    Scope(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** Calls without effect on state. */
  private static final Set<String> QUESTIONS =
      Set.of("predictions", "plans", "replays", "decisions", "extender");

  private static final Map<String, Endpoint> BY_CALL =
      Arrays.stream(values()).collect(Collectors.toMap(one -> one.call, Function.identity()));

  private final String call;
  private final String verb;
  private final String resource;
  private final Scope scope;
  private final Role least;

  Endpoint(String call, String right, Scope scope, Role least) {
    this.call = call;
    int space = right.indexOf(' ');
    this.verb = right.substring(0, space);
    this.resource = right.substring(space + 1);
    this.scope = scope;
    this.least = least;
  }

  /** The endpoint of a method and a path template; empty where the table has none. */
  public static Optional<Endpoint> of(String method, String template) {
    return Optional.ofNullable(BY_CALL.get(method + " " + template));
  }

  /** Method and path template. */
  public String call() {
    return call;
  }

  /** Its path, with its parameters in braces. */
  public String template() {
    return call.substring(call.indexOf(' ') + 1);
  }

  public String verb() {
    return verb;
  }

  public String resource() {
    return resource;
  }

  public Scope scope() {
    return scope;
  }

  /** The role with the fewest rights that includes this right; operators have every right. */
  public Role least() {
    return least;
  }

  /** Whether the call changes shared state. */
  public boolean isChange() {
    return !verb.equals("get") && !verb.equals("list") && !QUESTIONS.contains(resource);
  }

  /** Required permission in a namespace; null for the whole cluster. */
  Permission permission(@Nullable String namespace) {
    if (namespace != null && scope == Scope.CLUSTER) {
      throw new IllegalArgumentException(call + " concerns the whole cluster");
    }
    return new Permission(verb, resource, namespace);
  }
}

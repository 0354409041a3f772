package dev.cotenant.service.webhook;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.service.access.Access;
import dev.cotenant.service.access.Access.Outcome;
import dev.cotenant.service.access.Access.Presentation;
import dev.cotenant.service.access.Access.Scheme;
import dev.cotenant.service.access.Authorization;
import dev.cotenant.service.access.AuthorizationUnavailableException;
import dev.cotenant.service.access.Endpoint;
import dev.cotenant.service.access.ForbiddenException;
import dev.cotenant.service.access.Refusal;
import dev.cotenant.service.access.StatusView;
import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.LoadShedding;
import dev.cotenant.service.overload.OverloadBudget.Charge;
import dev.cotenant.service.overload.ShedCause;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/**
 * Routes of the HTTPS port for authenticated callers: the scheduler extender and REST. The caller
 * is authenticated before the body is read. REST authorizes its own callers; callers of the
 * extender are authorized here.
 */
final class VerifiedRouting {
  private static final Logger LOG = Logger.getLogger(VerifiedRouting.class);
  private static final String REST = "/v1/";
  private static final String EXTENDER = "/extender/";
  private static final String PROBLEM = "application/problem+json";
  private static final String JSON = "application/json";
  private static final JsonMapper MAPPER = new JsonMapper();

  private final Callers callers;
  private final Map<String, UnaryOperator<byte[]>> extender;
  private final int maxBytes;
  private final Handler<HttpServerRequest> rest;
  private final Workers workers;
  private final LoadShedding loadShedding;

  /**
   * Where requests go.
   *
   * @param extender what answers the extender's verbs, by path
   * @param maxBytes the most of their bodies that is read
   * @param rest answers REST
   */
  record Targets(
      Map<String, UnaryOperator<byte[]>> extender, int maxBytes, Handler<HttpServerRequest> rest) {}

  /** Authentication and authorization of callers. */
  @Singleton
  static final class Callers {
    private final Access access;
    private final Authorization authorization;

    Callers(Access access, Authorization authorization) {
      this.access = access;
      this.authorization = authorization;
    }
  }

  /**
   * @param callers authenticates callers, by {@code workers}
   * @param loadShedding the bounds beyond which requests are shed
   */
  VerifiedRouting(Callers callers, Targets targets, Workers workers, LoadShedding loadShedding) {
    this.callers = callers;
    this.extender = Map.copyOf(targets.extender());
    this.maxBytes = targets.maxBytes();
    this.rest = targets.rest();
    this.workers = workers;
    this.loadShedding = loadShedding;
  }

  /** Whether this routing has a path. */
  boolean has(String path) {
    return path.startsWith(EXTENDER) || path.startsWith(REST);
  }

  void handle(HttpServerRequest request) {
    Presentation presentation =
        Presentation.of(
            request, request.path().startsWith(EXTENDER) ? Scheme.BEARER_OR_BASIC : Scheme.BEARER);
    Context context = Vertx.currentContext();
    Connection.of(request).review();
    request.pause();
    // Whatever comes of it is answered there.
    CompletableFuture<Outcome> _ =
        workers
            .answer(() -> check(presentation, request.path()))
            .whenComplete((outcome, defect) ->
                context.runOnContext(_ -> {
                  if (defect == null) {
                    checked(request, outcome);
                  } else {
                    failed(request, defect);
                  }
                }));
  }

  private Outcome check(Presentation presentation, String path) {
    Outcome outcome = callers.access.check(presentation);
    if (outcome instanceof Outcome.Granted(var caller) && extender.containsKey(path)) {
      Endpoint endpoint =
          Endpoint.of("POST", path).orElseThrow(() -> new IllegalStateException(path));
      callers.authorization.require(caller, endpoint, null);
    }
    return outcome;
  }

  private void checked(HttpServerRequest request, Outcome outcome) {
    Optional<Refusal> refusal = Refusal.of(outcome);
    if (refusal.isPresent()) {
      LOG.debugf("refused %s: %s", request.remoteAddress(), outcome);
      refuse(request, refusal.get());
      return;
    }
    Connection.of(request).trust();
    UnaryOperator<byte[]> handler = extender.get(request.path());
    if (handler != null) {
      extend(request, handler);
    } else if (request.path().startsWith(EXTENDER)) {
      refuse(request, problem(404, "Not Found", "unknown-verb", "The extender has no such verb."));
    } else {
      rest.handle(request); // which resumes it as it reads
    }
  }

  private void extend(HttpServerRequest request, UnaryOperator<byte[]> handler) {
    if (!HttpMethod.POST.equals(request.method())) {
      request.response().putHeader(HttpHeaders.ALLOW, "POST");
      refuse(request, problem(405, "Method Not Allowed", "method-not-allowed", "Use POST."));
      return;
    }
    BodyReader.read(
        request,
        maxBytes + 1, // one more is how it is known to be too long
        loadShedding.budget().open(),
        new BodyReader.Receiver() {
          @Override
          public void read(byte[] body, Charge charge) {
            answer(request, () -> handler.apply(body), charge);
          }

          @Override
          public void shed(BodyReader.Rest rest) {
            overloaded(request);
          }
        });
    request.resume();
  }

  private void answer(HttpServerRequest request, Supplier<byte[]> handler, Charge charge) {
    Future.fromCompletionStage(workers.answer(handler).whenComplete((_, _) -> charge.close()))
        .onSuccess(answer ->
            request.response().putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(Buffer.buffer(answer)))
        .onFailure(defect -> failed(request, defect));
  }

  private static void overloaded(HttpServerRequest request) {
    Connection.of(request).shed(ShedCause.BYTES);
    refuse(
            request,
            problem(
                503,
                "Service Unavailable",
                "overloaded",
                "Requests in flight have reached the memory limit: retry later, or raise"
                    + " cotenant.server.heap-share or the heap."))
        .onComplete(_ -> request.connection().close());
  }

  private static void failed(HttpServerRequest request, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    switch (cause) {
      case ForbiddenException forbidden -> refuse(request, Refusal.of(forbidden));
      case AuthorizationUnavailableException unavailable -> {
        LOG.warnf("no right can be checked: %s", unavailable.getMessage());
        refuse(request, Refusal.authorizationUnavailable());
      }
      default -> defect(request, cause);
    }
  }

  private static void refuse(HttpServerRequest request, Refusal refusal) {
    if (refusal.wantsAuthentication()) {
      request.response().putHeader("WWW-Authenticate", "Bearer realm=\"cotenant\"");
    }
    if (StatusView.isWanted(request.query())) {
      StatusView status =
          StatusView.of(refusal.status(), refusal.detail(), refusal.retryAfterSeconds());
      refuse(request, refusal.status(), JSON, MAPPER.valueToTree(status).toString());
      return;
    }
    if (refusal.retryAfterSeconds() != null) {
      request
          .response()
          .putHeader(HttpHeaders.RETRY_AFTER, String.valueOf(refusal.retryAfterSeconds()));
    }
    refuse(request, problem(refusal.status(), refusal.title(), refusal.code(), refusal.detail()));
  }

  private static void defect(HttpServerRequest request, Throwable defect) {
    String id = UUID.randomUUID().toString();
    LOG.errorf(defect, "request failed, error %s", id);
    JsonObject problem =
        problem(
            500,
            "Internal Server Error",
            "internal-error",
            "Internal error of the service; its log has the details under this id.");
    refuse(request, problem.put("error_id", id));
  }

  private static JsonObject problem(int status, String title, String code, String detail) {
    return new JsonObject()
        .put("type", "about:blank")
        .put("title", title)
        .put("status", status)
        .put("detail", detail)
        .put("code", code);
  }

  private static Future<Void> refuse(HttpServerRequest request, JsonObject problem) {
    if (isKubeScheduler(request)) {
      JsonObject result = new JsonObject().put("Error", "cotenant: " + problem.getString("detail"));
      return refuse(request, 200, JSON, result.encode());
    }
    return refuse(request, problem.getInteger("status"), PROBLEM, problem.encode());
  }

  /**
   * Whether the caller has its token in the URL. With any other status than 200 kube-scheduler
   * prints that URL into the Events of the pod, token included [k8s.io/kubernetes
   * pkg/scheduler/extender.go, send].
   */
  private static boolean isKubeScheduler(HttpServerRequest request) {
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    return request.path().startsWith(EXTENDER)
        && authorization != null
        && authorization.regionMatches(true, 0, "Basic ", 0, "Basic ".length());
  }

  /** Leaves the rest of the body unread. */
  private static Future<Void> refuse(
      HttpServerRequest request, int status, String type, String body) {
    Future<Void> refused =
        request
            .response()
            .setStatusCode(status)
            .putHeader(HttpHeaders.CONTENT_TYPE, type)
            .putHeader(HttpHeaders.CONNECTION, "close")
            .end(body);
    request.resume();
    return refused;
  }
}

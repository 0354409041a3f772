package dev.cotenant.service.webhook;

import dev.cotenant.service.access.Access;
import dev.cotenant.service.access.Access.Scheme;
import dev.cotenant.service.access.Access.Verdict;
import dev.cotenant.service.intake.Connection;
import dev.cotenant.service.intake.Intake;
import dev.cotenant.service.intake.IntakeBudget.Charge;
import dev.cotenant.service.intake.ShedCause;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/**
 * What is answered on the HTTPS port to callers that prove who they are: the scheduler extender and
 * REST. The body of a request is not looked at before its caller was.
 */
final class VerifiedRouting {
  private static final Logger LOG = Logger.getLogger(VerifiedRouting.class);
  private static final String REST = "/v1/";
  private static final String PROBLEM = "application/problem+json";
  private static final String JSON = "application/json";

  private final Access access;
  private final Map<String, UnaryOperator<byte[]>> extender;
  private final int maxBytes;
  private final Handler<HttpServerRequest> rest;
  private final Executor executor;
  private final Intake intake;

  /**
   * Where requests go.
   *
   * @param extender what answers the extender's verbs, by path
   * @param maxBytes the most of their bodies that is read
   * @param rest answers REST
   */
  record Targets(
      Map<String, UnaryOperator<byte[]>> extender, int maxBytes, Handler<HttpServerRequest> rest) {}

  /**
   * @param access looks at callers, on {@code executor}
   * @param executor not an event loop
   * @param intake the bounds beyond which requests are shed
   */
  VerifiedRouting(Access access, Targets targets, Executor executor, Intake intake) {
    this.access = access;
    this.extender = Map.copyOf(targets.extender());
    this.maxBytes = targets.maxBytes();
    this.rest = targets.rest();
    this.executor = executor;
    this.intake = intake;
  }

  /** Whether a path is answered here. */
  boolean has(String path) {
    return extender.containsKey(path) || path.startsWith(REST);
  }

  void handle(HttpServerRequest request) {
    Scheme scheme = extender.containsKey(request.path()) ? Scheme.BEARER_OR_BASIC : Scheme.BEARER;
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    Context context = Vertx.currentContext();
    request.pause();
    // Whatever comes of it is answered there.
    CompletableFuture<Verdict> _ =
        CompletableFuture.supplyAsync(() -> access.check(authorization, scheme), executor)
            .whenComplete((verdict, defect) ->
                context.runOnContext(_ -> {
                  if (defect == null) {
                    looked(request, verdict);
                  } else {
                    failed(request, defect);
                  }
                }));
  }

  private void looked(HttpServerRequest request, Verdict verdict) {
    switch (verdict) {
      case Verdict.Granted _ -> {
        Connection.of(request).trust();
        UnaryOperator<byte[]> handler = extender.get(request.path());
        if (handler == null) {
          rest.handle(request); // which resumes it as it reads
        } else {
          extend(request, handler);
        }
      }
      case Verdict.Refused(String why) -> {
        LOG.debugf("refused %s: %s", request.remoteAddress(), why);
        request.response().putHeader("WWW-Authenticate", "Bearer realm=\"cotenant\"");
        refuse(
            request,
            problem(
                401,
                "Unauthorized",
                "token-required",
                "Callers need 'Authorization: Bearer' with the token that cotenant.rest.token"
                    + " sets, or one of the cluster for this service's audience."));
      }
      case Verdict.Unavailable(String why) -> {
        LOG.warnf("no token can be looked at: %s", why);
        request.response().putHeader(HttpHeaders.RETRY_AFTER, "5");
        refuse(
            request,
            problem(
                503,
                "Service Unavailable",
                "tokens-unavailable",
                "The API server that knows whose token it is cannot be asked: try again."));
      }
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
        intake.budget(),
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
    Future.fromCompletionStage(
            CompletableFuture.supplyAsync(handler, executor).whenComplete((_, _) -> charge.close()))
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
                "Requests in flight hold as much memory as they may: try again later, or raise"
                    + " cotenant.intake.heap-share or the heap."))
        .onComplete(_ -> request.connection().close());
  }

  private static void failed(HttpServerRequest request, Throwable defect) {
    String id = UUID.randomUUID().toString();
    LOG.errorf(defect, "request failed, error %s", id);
    JsonObject problem =
        problem(
            500,
            "Internal Server Error",
            "internal-error",
            "Something went wrong in the service; its log has the details under this id.");
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

  /** What is left of the body is not read. */
  private static Future<Void> refuse(HttpServerRequest request, JsonObject problem) {
    Future<Void> refused =
        request
            .response()
            .setStatusCode(problem.getInteger("status"))
            .putHeader(HttpHeaders.CONTENT_TYPE, PROBLEM)
            .putHeader(HttpHeaders.CONNECTION, "close")
            .end(problem.toBuffer());
    request.resume();
    return refused;
  }
}

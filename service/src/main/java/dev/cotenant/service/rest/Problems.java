package dev.cotenant.service.rest;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.reservation.StoreFailedException;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.access.AuthorizationUnavailableException;
import dev.cotenant.service.access.ForbiddenException;
import dev.cotenant.service.access.Refusal;
import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.ShedCause;
import dev.cotenant.service.rest.query.GonePageException;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.Locale;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Failures of requests as problem documents. */
public final class Problems {
  private static final Logger LOG = Logger.getLogger(Problems.class);
  private static final int RETRY_SECONDS = 10;

  /** Leaders and API servers come back within a few seconds. */
  private static final int LEADER_RETRY_SECONDS = 5;

  @ServerExceptionMapper
  public Response badInput(InputException e) {
    Response.StatusType status = status(e.kind());
    Response.ResponseBuilder response =
        response(
            ProblemView.of(
                status.getStatusCode(), status.getReasonPhrase(), e.code(), e.getMessage()));
    return e.kind() == InputException.Kind.TOO_LARGE
        ? response.header("Connection", "close").build()
        : response.build();
  }

  @ServerExceptionMapper
  public Response conflict(ConflictException e) {
    return response(ProblemView.of(409, "Conflict", e.code(), e.getMessage())).build();
  }

  @ServerExceptionMapper
  public Response pageGone(GonePageException e) {
    return response(ProblemView.of(410, "Gone", "page-gone", e.getMessage())).build();
  }

  @ServerExceptionMapper
  public Response noRoom(QuotaException e) {
    return response(ProblemView.of(507, "Insufficient Storage", e.code(), e.getMessage())).build();
  }

  @ServerExceptionMapper
  public Response storeFailed(StoreException e) {
    LOG.warnf("%s", e.getMessage());
    return unavailable("store-unavailable", String.valueOf(e.getMessage()), RETRY_SECONDS);
  }

  @ServerExceptionMapper
  public Response notLeading(NotLeadingException e) {
    return unavailable("not-leader", String.valueOf(e.getMessage()), LEADER_RETRY_SECONDS);
  }

  @ServerExceptionMapper
  public Response streamsBusy(StreamsBusyException e) {
    return unavailable("streams-busy", String.valueOf(e.getMessage()), RETRY_SECONDS);
  }

  @ServerExceptionMapper
  public Response notPersisted(StoreFailedException e) {
    LOG.warnf("%s", e.getMessage());
    return unavailable("store-unavailable", String.valueOf(e.getMessage()), RETRY_SECONDS);
  }

  @ServerExceptionMapper
  public Response forbidden(ForbiddenException e) {
    LOG.debugf("%s", e.getMessage());
    return of(Refusal.of(e));
  }

  @ServerExceptionMapper
  public Response shed(OverloadedException e, HttpServerRequest request) {
    Connection.of(request).shed(ShedCause.BYTES);
    return overloaded(e);
  }

  /** The answer to a body beyond the memory budget. */
  public static Response overloaded(OverloadedException e) {
    return unavailable("overloaded", String.valueOf(e.getMessage()), RETRY_SECONDS);
  }

  @ServerExceptionMapper
  public Response authorizationUnavailable(AuthorizationUnavailableException e) {
    LOG.warnf("no right can be checked: %s", e.getMessage());
    return of(Refusal.authorizationUnavailable());
  }

  /** The answer to a refused caller. */
  public static Response of(Refusal refusal) {
    Response.ResponseBuilder response =
        response(
            ProblemView.of(refusal.status(), refusal.title(), refusal.code(), refusal.detail()));
    if (refusal.retryAfterSeconds() != null) {
      response.header(HttpHeaders.RETRY_AFTER, refusal.retryAfterSeconds());
    }
    return refusal.wantsAuthentication()
        ? response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"cotenant\"").build()
        : response.build();
  }

  private static Response unavailable(String code, String detail, int retrySeconds) {
    return response(ProblemView.of(503, "Service Unavailable", code, detail))
        .header(HttpHeaders.RETRY_AFTER, retrySeconds)
        .build();
  }

  @ServerExceptionMapper
  public Response refusedByFramework(WebApplicationException e) {
    Response.StatusType status = e.getResponse().getStatusInfo();
    if (status.getFamily() == Response.Status.Family.SERVER_ERROR) {
      return defect(e);
    }
    Response.ResponseBuilder response = response(ofStatus(status));
    String allowed = e.getResponse().getHeaderString(HttpHeaders.ALLOW);
    return allowed == null ? response.build() : response.header(HttpHeaders.ALLOW, allowed).build();
  }

  @ServerExceptionMapper
  public Response defect(RuntimeException e) {
    String id = UUID.randomUUID().toString();
    LOG.errorf(e, "request failed, error %s", id);
    return response(ProblemView.ofDefect(id)).build();
  }

  /** The answer for an unknown path. */
  public static ProblemView notFound() {
    return ofStatus(Response.Status.NOT_FOUND);
  }

  public static Response.ResponseBuilder response(ProblemView problem) {
    return Response.status(problem.status()).type(ProblemView.MEDIA_TYPE).entity(problem);
  }

  private static Response.StatusType status(InputException.Kind kind) {
    return switch (kind) {
      case INVALID_ARGUMENT -> Response.Status.BAD_REQUEST;
      case NOT_FOUND -> Response.Status.NOT_FOUND;
      case MALFORMED -> UnprocessableContent.STATUS;
      case TOO_LARGE -> Response.Status.REQUEST_ENTITY_TOO_LARGE;
    };
  }

  private static ProblemView ofStatus(Response.StatusType status) {
    String title = status.getReasonPhrase();
    return ProblemView.of(status.getStatusCode(), title, code(title), detail(status));
  }

  private static String detail(Response.StatusType status) {
    return switch (status.getStatusCode()) {
      case 404 -> "This path does not exist; /q/openapi lists all paths.";
      case 405 -> "This path does not support this method; /q/openapi lists the supported ones.";
      case 406 -> "This path answers with application/json only.";
      case 415 ->
          "This path does not support this Content-Type; /q/openapi lists the supported ones.";
      default -> status.getReasonPhrase() + ".";
    };
  }

  private static String code(String title) {
    return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
  }

  /** 422, which Jakarta REST has no constant for. */
  private record UnprocessableContent() implements Response.StatusType {
    static final UnprocessableContent STATUS = new UnprocessableContent();

    @Override
    public int getStatusCode() {
      return 422;
    }

    @Override
    public Response.Status.Family getFamily() {
      return Response.Status.Family.CLIENT_ERROR;
    }

    @Override
    public String getReasonPhrase() {
      return "Unprocessable Content";
    }
  }
}

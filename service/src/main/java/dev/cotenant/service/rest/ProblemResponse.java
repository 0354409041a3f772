package dev.cotenant.service.rest;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.service.access.StatusView;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** Problem documents for requests that do not get as far as an endpoint. */
final class ProblemResponse {
  private static final JsonMapper JSON = new JsonMapper();

  private ProblemResponse() {}

  static void send(RoutingContext context, ProblemView problem) {
    boolean plain = !StatusView.isWanted(context.request().query());
    context
        .response()
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, plain ? ProblemView.MEDIA_TYPE : "application/json")
        .end(
            JSON.valueToTree(
                    plain ? problem : StatusView.of(problem.status(), problem.detail(), null))
                .toString());
  }
}

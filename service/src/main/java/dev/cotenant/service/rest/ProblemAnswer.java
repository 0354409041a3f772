package dev.cotenant.service.rest;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** Problem documents for requests that do not get as far as an endpoint. */
final class ProblemAnswer {
  private static final JsonMapper JSON = new JsonMapper();

  private ProblemAnswer() {}

  static void send(RoutingContext context, ProblemView problem) {
    context
        .response()
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemView.MEDIA_TYPE)
        .end(JSON.valueToTree(problem).toString());
  }
}

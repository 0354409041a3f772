package dev.cotenant.service.rest;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;

/** Answers what no route answers, with a problem document like any other. */
final class UnknownPaths {
  private static final JsonMapper JSON = new JsonMapper();

  void register(@Observes Router router) {
    router.route().last().handler(UnknownPaths::answer);
  }

  private static void answer(RoutingContext context) {
    ProblemView problem = Problems.notFound();
    ObjectNode document = JSON.valueToTree(problem);
    context
        .response()
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemView.MEDIA_TYPE)
        .end(document.toString());
  }
}

package dev.cotenant.service.rest;

import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;

/** Answers what no route answers, with a problem document like any other. */
final class UnknownPaths {
  void register(@Observes Router router) {
    router.route().last().handler(context -> ProblemResponse.send(context, Problems.notFound()));
  }
}

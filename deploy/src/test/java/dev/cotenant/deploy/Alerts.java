package dev.cotenant.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The alerts of a release. */
final class Alerts {
  private Alerts() {}

  static List<JsonNode> of(Manifests objects) {
    List<JsonNode> alerts = new ArrayList<>();
    objects
        .ofKind("PrometheusRule")
        .forEach(rule ->
            rule.path("spec")
                .path("groups")
                .forEach(group -> group.path("rules").forEach(alerts::add)));
    return alerts;
  }
}

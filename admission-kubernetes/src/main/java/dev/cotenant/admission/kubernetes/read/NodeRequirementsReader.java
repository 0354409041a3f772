package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.cluster.NodeRequirements.Toleration;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the requirements of a pod on nodes from its {@code spec}. */
final class NodeRequirementsReader {
  private NodeRequirementsReader() {}

  static NodeRequirements read(JsonNode spec) {
    Map<String, String> labels = Json.texts(spec.path("nodeSelector"));
    List<Term> terms =
        terms(
            spec.path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution"));
    List<Toleration> tolerations = tolerations(spec.path("tolerations"));
    return labels.isEmpty() && terms.isEmpty() && tolerations.isEmpty()
        ? NodeRequirements.NONE
        : new NodeRequirements(labels, terms, tolerations);
  }

  /** The terms of a node selector. */
  static List<Term> terms(JsonNode required) {
    List<Term> terms = new ArrayList<>();
    for (JsonNode term : required.path("nodeSelectorTerms")) {
      terms.add(
          new Term(
              expressions(term.path("matchExpressions")), expressions(term.path("matchFields"))));
    }
    return terms;
  }

  static List<Expression> expressions(JsonNode array) {
    List<Expression> expressions = new ArrayList<>();
    for (JsonNode expression : array) {
      expressions.add(
          new Expression(
              Json.required(expression, "key"),
              operator(Json.required(expression, "operator")),
              values(expression.path("values"))));
    }
    return expressions;
  }

  private static Set<String> values(JsonNode array) {
    Set<String> values = new HashSet<>();
    for (JsonNode value : array) {
      if (!value.isTextual()) {
        throw Json.malformed("compares a label with a value that is not a string");
      }
      values.add(value.textValue());
    }
    return values;
  }

  private static Operator operator(String name) {
    return switch (name) {
      case "In" -> Operator.IN;
      case "NotIn" -> Operator.NOT_IN;
      case "Exists" -> Operator.EXISTS;
      case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
      case "Gt" -> Operator.GREATER_THAN;
      case "Lt" -> Operator.LESS_THAN;
      default -> throw Json.malformed("has an unknown operator");
    };
  }

  private static List<Toleration> tolerations(JsonNode array) {
    List<Toleration> tolerations = new ArrayList<>();
    for (JsonNode toleration : array) {
      tolerations.add(
          new Toleration(
              Json.textOr(toleration, "key", ""),
              "Exists".equals(Json.text(toleration, "operator")),
              Json.textOr(toleration, "value", ""),
              Json.textOr(toleration, "effect", "")));
    }
    return tolerations;
  }
}

package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.LabelSelector;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads required pod affinity, anti-affinity and topology spread constraints.
 *
 * <p>A term with a {@code namespaceSelector}, and a constraint with other node inclusion policies
 * than the default ones, is left out: it excludes no node. A term without selector selects nothing.
 */
final class PodTopologyReader {
  /** Further terms and constraints of a pod exclude no node; each one costs time in every cycle. */
  private static final int MAX = 32;

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

  private final String namespace;
  private final Map<String, String> labels;

  /**
   * @param namespace of the pod
   * @param labels of the pod
   */
  PodTopologyReader(String namespace, Map<String, String> labels) {
    this.namespace = namespace;
    this.labels = labels;
  }

  PodTopology read(JsonNode spec) {
    JsonNode affinity = spec.path("affinity");
    List<Term> near = terms(affinity.path("podAffinity").path(REQUIRED));
    List<Term> apart = terms(affinity.path("podAntiAffinity").path(REQUIRED));
    List<SpreadConstraint> spread = spread(spec.path("topologySpreadConstraints"));
    return near.isEmpty() && apart.isEmpty() && spread.isEmpty()
        ? PodTopology.NONE
        : new PodTopology(near, apart, spread);
  }

  private List<Term> terms(JsonNode array) {
    List<Term> terms = new ArrayList<>();
    for (JsonNode term : array) {
      if (terms.size() < MAX
          && term.path("labelSelector").isObject()
          && !term.path("namespaceSelector").isObject()) {
        terms.add(
            new Term(
                new PodSelector(
                    namespaces(term.path("namespaces")),
                    new LabelSelector(expressions(term.path("labelSelector")))),
                Json.required(term, "topologyKey")));
      }
    }
    return terms;
  }

  private Set<String> namespaces(JsonNode array) {
    Set<String> names = new HashSet<>();
    for (JsonNode name : array) {
      if (!name.isTextual()) {
        throw Json.malformed("has a namespace in an affinity term that is not a string");
      }
      names.add(name.textValue());
    }
    return names.isEmpty() ? Set.of(namespace) : names;
  }

  private static List<Expression> expressions(JsonNode selector) {
    List<Expression> expressions = new ArrayList<>();
    new TreeMap<>(Json.texts(selector.path("matchLabels")))
        .forEach((key, value) -> expressions.add(new Expression(key, Operator.IN, Set.of(value))));
    expressions.addAll(NodeRequirementsReader.expressions(selector.path("matchExpressions")));
    return expressions;
  }

  private List<SpreadConstraint> spread(JsonNode array) {
    List<SpreadConstraint> constraints = new ArrayList<>();
    for (JsonNode constraint : array) {
      boolean required =
          Json.textOr(constraint, "whenUnsatisfiable", "DoNotSchedule").equals("DoNotSchedule");
      if (constraints.size() < MAX && required && hasDefaultPolicies(constraint)) {
        constraints.add(
            new SpreadConstraint(
                new PodSelector(Set.of(namespace), selector(constraint)),
                Json.required(constraint, "topologyKey"),
                atLeastOne(constraint, "maxSkew"),
                atLeastOne(constraint, "minDomains")));
      }
    }
    return constraints;
  }

  /** The selector with the pod's own values of {@code matchLabelKeys}. */
  private LabelSelector selector(JsonNode constraint) {
    JsonNode selector = constraint.path("labelSelector");
    List<Expression> expressions = new ArrayList<>(expressions(selector));
    for (JsonNode key : constraint.path("matchLabelKeys")) {
      String value = labels.get(key.asText());
      if (value != null) {
        expressions.add(new Expression(key.asText(), Operator.IN, Set.of(value)));
      }
    }
    return new LabelSelector(expressions);
  }

  private static boolean hasDefaultPolicies(JsonNode constraint) {
    return constraint.path("labelSelector").isObject()
        && Json.textOr(constraint, "nodeAffinityPolicy", "Honor").equals("Honor")
        && Json.textOr(constraint, "nodeTaintsPolicy", "Ignore").equals("Ignore");
  }

  private static int atLeastOne(JsonNode constraint, String field) {
    int value = constraint.path(field).asInt(1);
    if (value < 1) {
      throw Json.malformed("has a " + field + " below 1");
    }
    return value;
  }
}

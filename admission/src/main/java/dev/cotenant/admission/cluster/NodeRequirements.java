package dev.cotenant.admission.cluster;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The requirements of a pod on nodes.
 *
 * @param labels a node must have [nodeSelector]
 * @param terms a node must meet one [required node affinity]; empty for any node
 * @param tolerations tolerated taints
 */
public record NodeRequirements(
    Map<String, String> labels, List<Term> terms, List<Toleration> tolerations) {
  /** Any node without taints. */
  public static final NodeRequirements NONE = new NodeRequirements(Map.of(), List.of(), List.of());

  /** Any node, with any taints. */
  public static final NodeRequirements TOLERATING_ALL =
      new NodeRequirements(Map.of(), List.of(), List.of(new Toleration("", true, "", "")));

  public NodeRequirements {
    labels = Map.copyOf(labels);
    terms = List.copyOf(terms);
    tolerations = List.copyOf(tolerations);
  }

  /**
   * A conjunction of expressions; an empty term matches nothing.
   *
   * @param labels expressions about labels
   * @param fields expressions about fields, of which Kubernetes knows {@code metadata.name}
   */
  public record Term(List<Expression> labels, List<Expression> fields) {
    public Term {
      labels = List.copyOf(labels);
      fields = List.copyOf(fields);
    }
  }

  /** One expression of a term. */
  public record Expression(String key, Operator operator, Set<String> values) {
    public Expression {
      values = Set.copyOf(values);
    }
  }

  /** How an expression compares. */
  public enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    DOES_NOT_EXIST,
    GREATER_THAN,
    LESS_THAN
  }

  /**
   * A toleration; what is empty matches everything.
   *
   * @param key of the taint
   * @param anyValue whether the taint's value does not matter [operator Exists]
   * @param value of the taint where it matters
   * @param effect of the taint
   */
  public record Toleration(String key, boolean anyValue, String value, String effect) {}
}

package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.cluster.NodeRequirements.Toleration;
import dev.cotenant.admission.cluster.WatchedNode.Taint;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether a pod may run on a node, as kube-scheduler sees it: its filters {@code NodeAffinity},
 * {@code TaintToleration} and {@code NodeUnschedulable} [Kubernetes 1.36,
 * component-helpers/scheduling/corev1].
 */
public final class NodeMatch {
  private static final Taint CORDONED =
      new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
  private static final String NAME_FIELD = "metadata.name";

  /** Of the taints by which Kubernetes itself closes a node to pods. */
  private static final String CONDITION_PREFIX = "node.kubernetes.io/";

  private NodeMatch() {}

  /** The first obstacle; empty where there is none. */
  public static Optional<String> whyNot(NodeRequirements pod, WatchedNode node) {
    Optional<String> unselected = whyNotSelected(pod, node);
    if (unselected.isPresent()) {
      return unselected;
    }
    if (!node.schedulable() && !isTolerated(CORDONED, pod.tolerations())) {
      return Optional.of("it is cordoned");
    }
    return node.taints().stream()
        .filter(taint -> repels(taint) && !isTolerated(taint, pod.tolerations()))
        .findFirst()
        .map(taint -> "the pod does not tolerate the taint " + words(taint));
  }

  /**
   * Why a node takes no pod that comes now, in a word or two such as {@code not ready}; empty where
   * it takes pods. Taints of administrators are the matter of each pod.
   */
  public static Optional<String> whyUnschedulable(WatchedNode node) {
    return node.schedulable()
        ? node.taints().stream()
            .filter(taint -> repels(taint) && taint.key().startsWith(CONDITION_PREFIX))
            .map(taint -> taint.key().substring(CONDITION_PREFIX.length()).replace('-', ' '))
            .findFirst()
        : Optional.of("cordoned");
  }

  /** Whether the pod's node selector and required node affinity allow a node. */
  public static boolean isSelected(NodeRequirements pod, WatchedNode node) {
    return whyNotSelected(pod, node).isEmpty();
  }

  /** Whether a node meets any of the terms; an empty list matches every node. */
  public static boolean meetsAny(List<Term> terms, WatchedNode node) {
    return terms.isEmpty() || terms.stream().anyMatch(term -> meets(node, term));
  }

  private static Optional<String> whyNotSelected(NodeRequirements pod, WatchedNode node) {
    for (Map.Entry<String, String> wanted : new TreeMap<>(pod.labels()).entrySet()) {
      if (!wanted.getValue().equals(node.labels().get(wanted.getKey()))) {
        return Optional.of(
            "the pod selects nodes with " + wanted.getKey() + "=" + wanted.getValue());
      }
    }
    return meetsAny(pod.terms(), node)
        ? Optional.empty()
        : Optional.of("the pod's required node affinity does not match");
  }

  private static String words(Taint taint) {
    String value = taint.value().isEmpty() ? "" : "=" + taint.value();
    return taint.key() + value + ":" + taint.effect();
  }

  private static boolean repels(Taint taint) {
    return taint.effect().equals("NoSchedule") || taint.effect().equals("NoExecute");
  }

  private static boolean isTolerated(Taint taint, List<Toleration> tolerations) {
    return tolerations.stream().anyMatch(toleration -> tolerates(toleration, taint));
  }

  private static boolean tolerates(Toleration toleration, Taint taint) {
    return (toleration.effect().isEmpty() || toleration.effect().equals(taint.effect()))
        && (toleration.key().isEmpty() || toleration.key().equals(taint.key()))
        && (toleration.anyValue() || toleration.value().equals(taint.value()));
  }

  private static boolean meets(WatchedNode node, Term term) {
    boolean hasExpressions = !term.labels().isEmpty() || !term.fields().isEmpty();
    return hasExpressions
        && term.labels().stream().allMatch(e -> holds(e, node.labels().get(e.key())))
        && term.fields().stream().allMatch(e -> holdsForField(e, node));
  }

  /** Whether a label value meets an expression; null without the label. */
  static boolean holds(Expression expression, @Nullable String value) {
    return switch (expression.operator()) {
      case IN -> value != null && expression.values().contains(value);
      case NOT_IN -> value == null || !expression.values().contains(value);
      case EXISTS -> value != null;
      case DOES_NOT_EXIST -> value == null;
      case GREATER_THAN -> compares(expression.values(), value, 1);
      case LESS_THAN -> compares(expression.values(), value, -1);
    };
  }

  /** Both must be whole numbers of 64 bits, and the bound must be the only value. */
  private static boolean compares(Set<String> bounds, @Nullable String value, int sign) {
    OptionalLong bound =
        bounds.size() == 1 ? number(bounds.iterator().next()) : OptionalLong.empty();
    OptionalLong found = value == null ? OptionalLong.empty() : number(value);
    return bound.isPresent()
        && found.isPresent()
        && Long.compare(found.getAsLong(), bound.getAsLong()) == sign;
  }

  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /** A field has one value; the name is the only field. */
  private static boolean holdsForField(Expression expression, WatchedNode node) {
    if (!expression.key().equals(NAME_FIELD) || expression.values().size() != 1) {
      return false;
    }
    boolean same = Objects.equals(expression.values().iterator().next(), node.name());
    return switch (expression.operator()) {
      case IN -> same;
      case NOT_IN -> !same;
      case EXISTS, DOES_NOT_EXIST, GREATER_THAN, LESS_THAN -> false;
    };
  }
}

package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A selector of pods by labels.
 *
 * @param expressions must all hold; without any the selector matches every pod
 */
public record LabelSelector(List<Expression> expressions) {
  public LabelSelector {
    expressions = List.copyOf(expressions);
  }

  public boolean matches(Map<String, String> labels) {
    return expressions.stream()
        .allMatch(expression -> NodeMatch.holds(expression, labels.get(expression.key())));
  }

  /** The label keys that it compares. */
  public Stream<String> keys() {
    return expressions.stream().map(Expression::key);
  }
}

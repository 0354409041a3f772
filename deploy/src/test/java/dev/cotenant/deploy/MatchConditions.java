package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What can be said of conditions in CEL without an interpreter: brackets, strings and names. */
final class MatchConditions {
  private static final int MOST_OF_A_WEBHOOK = 64;
  private static final Set<String> VARIABLES =
      Set.of("object", "oldObject", "request", "authorizer", "namespaceObject", "variables");
  private static final Set<String> FUNCTIONS_AND_WORDS =
      Set.of(
          "has",
          "in",
          "exists",
          "startsWith",
          "key",
          "gate",
          "part",
          "owner",
          "kept",
          "true",
          "false",
          "null");

  /** A path such as {@code object.metadata.name}; string literals are gone by then. */
  private static final Pattern PATH = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_]+)*");

  private MatchConditions() {}

  static void check(Manifests objects) {
    for (Webhooks.Webhook webhook : Webhooks.of(objects).all()) {
      List<MatchCondition> conditions = webhook.conditions();
      assertThat(conditions).hasSizeLessThanOrEqualTo(MOST_OF_A_WEBHOOK);
      assertThat(conditions).extracting(MatchCondition::getName).doesNotHaveDuplicates();
      conditions.forEach(condition -> expression(condition.getExpression()));
    }
    for (ValidatingAdmissionPolicy policy : objects.all(ValidatingAdmissionPolicy.class)) {
      policy.getSpec().getMatchConditions().forEach(one -> expression(one.getExpression()));
      policy.getSpec().getVariables().forEach(one -> expression(one.getExpression()));
      policy.getSpec().getValidations().forEach(one -> expression(one.getExpression()));
    }
  }

  static void expression(String expression) {
    String code = withoutStrings(expression);
    balanced(expression, code);
    Matcher paths = PATH.matcher(code);
    while (paths.find()) {
      String first = paths.group().split("\\.", 2)[0];
      boolean called = paths.start() > 0 && code.charAt(paths.start() - 1) == '.';
      assertThat(VARIABLES.contains(first) || FUNCTIONS_AND_WORDS.contains(first) || called)
          .as("%s is known in %s", first, expression)
          .isTrue();
    }
  }

  private static String withoutStrings(String expression) {
    String code = expression.replaceAll("'[^']*'", "\"\"");
    assertThat(code).as(expression).doesNotContain("'");
    return code.replace("\"\"", "0");
  }

  private static void balanced(String expression, String code) {
    Deque<Character> open = new ArrayDeque<>();
    for (int i = 0; i < code.length(); i++) {
      char character = code.charAt(i);
      switch (character) {
        case '(' -> open.push(')');
        case '[' -> open.push(']');
        case '{' -> open.push('}');
        case ')', ']', '}' ->
            assertThat(open.poll()).as(expression).isEqualTo(Character.valueOf(character));
        default -> {}
      }
    }
    assertThat(open).as(expression).isEmpty();
  }
}

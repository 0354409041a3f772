package dev.cotenant.admission.policy;

import dev.cotenant.admission.pod.PodIdentity;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * An operator's PromQL for the speed of any pod of a policy: {@code
 * sum(rate(steps_total{namespace="$namespace", pod="$pod"}[$window]))}. Its author decides which
 * series it reads; a pod only contributes its names, as quoted values of equality matchers.
 *
 * @param text with each of the placeholders
 */
public record QueryTemplate(String text) {
  private static final int MAX_LENGTH = 1_000;
  private static final String NAMESPACE = "$namespace";
  private static final String POD = "$pod";
  private static final String WINDOW = "[$window]";
  private static final Pattern EQUALITIES =
      Pattern.compile("[a-zA-Z0-9_]\\s*=\\s*\"(?:\\$namespace|\\$pod)\"");

  /**
   * @throws IllegalArgumentException if it is unusable; the message names the expected form
   */
  public QueryTemplate {
    if (text.length() > MAX_LENGTH || text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "must be one line of at most " + MAX_LENGTH + " characters");
    }
    String rest = EQUALITIES.matcher(text).replaceAll("").replace(WINDOW, "");
    if (!text.contains("\"" + NAMESPACE + "\"")
        || !text.contains("\"" + POD + "\"")
        || !text.contains(WINDOW)
        || rest.contains("$")) {
      throw new IllegalArgumentException(
          "must have LABEL=\"$namespace\", LABEL=\"$pod\" and [$window], and no other '$', is '"
              + text
              + "'");
    }
  }

  /**
   * The speed of a pod as PromQL.
   *
   * @param window over which it is averaged
   * @throws IllegalArgumentException when the pod's names are none of Kubernetes
   */
  public String promQl(PodIdentity pod, Duration window) {
    String name = pod.requireName();
    return text.replace(WINDOW, "[" + window.toSeconds() + "s]")
        .replace("\"" + NAMESPACE + "\"", "\"" + pod.namespace() + "\"")
        .replace("\"" + POD + "\"", "\"" + name + "\"");
  }
}

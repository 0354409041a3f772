package dev.cotenant.admission.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.pod.PodIdentity;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTemplateTest {
  private static final Duration WINDOW = Duration.ofMinutes(2);

  @Test
  void aPodAddsItsNamesAlone() {
    QueryTemplate template =
        new QueryTemplate(
            "sum(rate(images{ns=\"$namespace\", pod = \"$pod\"}[$window])) * on()"
                + " batch{pod=\"$pod\"}");

    assertThat(template.promQl(new PodIdentity("team-a", "train.0", null), WINDOW))
        .isEqualTo(
            "sum(rate(images{ns=\"team-a\", pod = \"train.0\"}[120s])) * on()"
                + " batch{pod=\"train.0\"}");
  }

  /** In a regular expression the dot of a name would match other pods. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "up",
        "sum(rate(x{namespace=\"$namespace\"}[$window]))",
        "sum(rate(x{pod=\"$pod\"}[$window]))",
        "sum(x{namespace=\"$namespace\",pod=\"$pod\"})",
        "rate(x{namespace=\"$namespace\",pod=~\"$pod\"}[$window])",
        "rate(x{namespace!=\"$namespace\",pod=\"$pod\"}[$window])",
        "rate(x{namespace=\"$namespace\",pod=\"$pod-0\"}[$window])",
        "rate(x{namespace=\"$namespace\",pod=$pod}[$window])",
        "rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window]) + $window",
        "rate(x{namespace=\"$namespace\",pod=\"$pod\",node=\"$node\"}[$window])",
        "rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window])\n"
      })
  void anotherTextIsRefused(String text) {
    assertThatThrownBy(() -> new QueryTemplate(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("must ");
  }

  @Test
  void tooMuchIsRefused() {
    String longest = "rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window])";
    assertThatThrownBy(() -> new QueryTemplate(longest + " ".repeat(1_000)))
        .hasMessageContaining("at most 1000 characters");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\"} or up{x=\"", "$pod", "A", "", "a\\", "a\nb"})
  void namesThatAreNoneOfKubernetesAreNotSent(String name) {
    QueryTemplate template =
        new QueryTemplate("rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window])");

    assertThatThrownBy(() -> template.promQl(new PodIdentity("team-a", name, null), WINDOW))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> template.promQl(new PodIdentity(name, "pod", null), WINDOW))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package dev.cotenant.domain.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
  private static final List<String> KNOWN = List.of("predict", "plan", "rtx-4090", "h100-80gb");

  @ParameterizedTest
  @CsvSource({
    "predct, predict",
    "pedrict, predict",
    "PREDICT, predict",
    "rtx4090, rtx-4090",
    "planet, plan",
    "planning-ahead, plan",
    "h100-80, h100-80gb"
  })
  void findsTheNearestName(String name, String nearest) {
    assertThat(Suggestion.of(name, KNOWN)).contains(nearest);
  }

  @Test
  void suggestsNothingForNamesThatAreFar() {
    assertThat(Suggestion.of("tpu", KNOWN)).isEmpty();
    assertThat(Suggestion.of("", KNOWN)).isEmpty();
    assertThat(Suggestion.of("predict".repeat(100), KNOWN)).isEmpty();
    assertThat(Suggestion.of("plan", List.of())).isEmpty();
    assertThat(Suggestion.of("plan", KNOWN)).isEmpty();
  }
}

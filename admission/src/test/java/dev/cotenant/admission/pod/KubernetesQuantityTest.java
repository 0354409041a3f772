package dev.cotenant.admission.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesQuantityTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "8k, 8000",
    "8Ki, 8192",
    "8Gi, 8589934592",
    "500m, 0.5",
    "1.5Gi, 1610612736",
    ".5, 0.5",
    "5., 5",
    "+3, 3",
    "-3, -3",
    "1e3, 1000",
    "1E3, 1000",
    "12e-1, 1.2",
    "1E, 1000000000000000000",
    "1Ei, 1152921504606846976",
    "100n, 0.0000001",
    "7u, 0.000007"
  })
  void readsWhatKubernetesReads(String text, BigDecimal value) {
    assertThat(KubernetesQuantity.parse(text).orElseThrow().value()).isEqualByComparingTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "Gi",
        "8 Gi",
        "8gi",
        "8K",
        "8GiB",
        "1e",
        "1e+",
        "1e9999",
        "0x10",
        "NaN",
        "Infinity",
        "1_000",
        "--1",
        "1.2.3",
        "８",
        "1\n",
        "8Gi8Gi"
      })
  void refusesEverythingElse(String text) {
    assertThat(KubernetesQuantity.parse(text)).isEmpty();
  }

  @Test
  void refusesEndlessDigitsWithoutReadingThem() {
    assertThat(KubernetesQuantity.parse("9".repeat(1_000_000))).isEmpty();
  }

  @Test
  void knowsItsRangeWhateverItsSize() {
    KubernetesQuantity huge = KubernetesQuantity.parse("9e999").orElseThrow();

    assertThat(huge.isBetween(0, Long.MAX_VALUE)).isFalse();
    assertThat(KubernetesQuantity.parse("1Ki").orElseThrow().isBetween(1024, 1024)).isTrue();
    assertThat(KubernetesQuantity.parse("1.0").orElseThrow().isWhole()).isTrue();
    assertThat(KubernetesQuantity.parse("500m").orElseThrow().isWhole()).isFalse();
  }
}

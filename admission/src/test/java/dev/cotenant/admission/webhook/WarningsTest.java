package dev.cotenant.admission.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarningsTest {
  @Test
  void areShortSingleLinesAndFew() {
    List<String> warnings =
        new Warnings().addAll(Collections.nCopies(50, "so\nlong " + "x".repeat(500))).lines();

    assertThat(warnings).hasSize(Warnings.MAX_COUNT);
    assertThat(warnings)
        .allSatisfy(line ->
            assertThat(line)
                .hasSize(Warnings.MAX_LENGTH)
                .startsWith("cotenant: so long xxx")
                .endsWith("…"));
  }

  @Test
  void haveNoMoreBytesThanTheApiServerPassesOn() {
    List<String> warnings =
        new Warnings().addAll(Collections.nCopies(50, "\ud83d\ude00".repeat(500))).lines();

    assertThat(warnings).isNotEmpty();
    assertThat(String.join("", warnings).getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThanOrEqualTo(Warnings.MAX_BYTES);
  }

  @Test
  void areLeftWholeWhereTheyFit() {
    assertThat(Warnings.of("short")).containsExactly("cotenant: short");
  }
}

package dev.cotenant.domain.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0x00, 0x09, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x061C, 0x200B, 0x200E, 0x200F,
        0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF,
        0xE0001
      })
  void replacesWhatCouldLookLikeAnotherLine(int codePoint) {
    assertThat(PlainText.of("a" + Character.toString(codePoint) + "b")).isEqualTo("a\uFFFDb");
  }

  @Test
  void replacesEveryCharacterOfTheseCategoriesAndNoOther() {
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
      int type = Character.getType(codePoint);
      boolean unsafe =
          type == Character.CONTROL
              || type == Character.FORMAT
              || type == Character.LINE_SEPARATOR
              || type == Character.PARAGRAPH_SEPARATOR
              || type == Character.SURROGATE;
      String text = Character.toString(codePoint);
      assertThat(PlainText.of(text)).isEqualTo(unsafe ? "\uFFFD" : text);
    }
  }

  @Test
  void leavesOrdinaryTextAlone() {
    assertThat(PlainText.of("größe 模型 \uD83D\uDE80")).isEqualTo("größe 模型 \uD83D\uDE80");
  }
}

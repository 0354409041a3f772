package dev.cotenant.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private PrintWriter errors() {
    return new PrintWriter(err, true);
  }

  private Console plain() {
    return Console.ofWriters(new PrintWriter(out), errors());
  }

  @Test
  void printsALineForEachStepAndTenthWhereThereIsNoTerminal() {
    try (Progress progress = plain().progress("lab")) {
      for (int i = 0; i <= 1_000; i++) {
        progress.step(i < 500 ? "first" : "second", i / 1_000.0);
      }
    }

    assertThat(err.toString().lines())
        .hasSize(11)
        .first()
        .asString()
        .startsWith("lab, first, ")
        .endsWith(" 0 %");
    assertThat(err.toString()).contains("lab, second, ", "50 %, about ").doesNotContain("\u001b");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void overwritesABarOnATerminal() {
    Console console = Console.ofTerminal(new PrintWriter(out), errors());
    try (Progress progress = console.progress("lab")) {
      progress.step("half", 0.5);
    }

    assertThat(err.toString())
        .startsWith("\r\u001b[K[##########----------] lab, half, ")
        .endsWith("\r\u001b[K")
        .doesNotContain("\n");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void drawsAStepOnATerminalOnceASecond() {
    Console console = Console.ofTerminal(new PrintWriter(out), errors());
    try (Progress progress = console.progress("demo")) {
      for (int i = 0; i < 10_000; i++) {
        progress.step("");
      }
    }

    assertThat(err.toString().split("\u001b")).hasSizeLessThan(1_000);
  }
}

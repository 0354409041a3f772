package dev.cotenant.service.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SampledLinesTest {
  private Instant now = Instant.parse("2026-11-21T12:00:00Z");
  private final List<String> log = new ArrayList<>();
  private final SampledLines lines = new SampledLines(() -> now);

  private void write(int count) {
    for (int i = 0; i < count; i++) {
      lines.log(() -> log.add("line"), skipped -> log.add(skipped + " more"));
    }
  }

  @Test
  void writesTenLinesAMinuteAndCountsTheRest() {
    write(100_000);
    assertThat(log).hasSize(SampledLines.MAX).containsOnly("line");
    now = now.plusSeconds(59);
    write(1);
    assertThat(log).hasSize(SampledLines.MAX);

    now = now.plusSeconds(1);
    write(1);

    assertThat(log.subList(SampledLines.MAX, log.size())).containsExactly("99991 more", "line");
  }

  @Test
  void writesEveryLineWhereThereAreFew() {
    for (int i = 0; i < 50; i++) {
      now = now.plusSeconds(7);
      write(1);
    }
    assertThat(log).hasSize(50).containsOnly("line");
  }
}

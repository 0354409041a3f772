package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForecastCommandTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void forecastsASeries() throws IOException {
    // Constant use of 2 GiB of 8: every estimator that answers says 2 GiB, which leaves 6.
    StringBuilder csv = new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    for (int i = 0; i < 60; i++) {
      csv.append(30 * i).append(',').append(2L << 30).append(',').append(8L << 30).append('\n');
    }
    Path series = Files.writeString(folder.resolve("series.csv"), csv);

    List<JsonNode> forecasts = CommandRun.of("forecast", "--series", series, "--json").json();

    assertThat(forecasts).isNotEmpty();
    assertThat(forecasts)
        .filteredOn(forecast -> forecast.path("estimator").asText().equals("cbp"))
        .singleElement()
        .satisfies(cbp -> {
          assertThat(CommandRun.keys(cbp))
              .containsExactly(
                  "estimator",
                  "applies",
                  "reason",
                  "next_bytes",
                  "peak_bytes",
                  "peak_upper_bytes",
                  "coverage",
                  "horizon_seconds",
                  "free_bytes",
                  "samples",
                  "age_seconds");
          assertThat(cbp.path("peak_bytes").asLong()).isEqualTo(2L << 30);
          assertThat(cbp.path("free_bytes").asLong()).isEqualTo(6L << 30);
        });
  }

  @Test
  void knowsOfNoGrantsWhereThereIsOnlyASeries() throws IOException {
    Path series =
        Files.writeString(
            folder.resolve("series.csv"),
            "timestamp_seconds,used_memory_bytes,capacity_bytes\n0,1,9\n30,1,9\n");
    assertThat(CommandRun.of("forecast", "--series", series, "--json").json())
        .filteredOn(forecast -> forecast.path("estimator").asText().equals("agnostic"))
        .singleElement()
        .satisfies(agnostic -> {
          assertThat(agnostic.path("applies").asBoolean()).isFalse();
          assertThat(agnostic.path("reason").asText()).contains("not known");
          assertThat(agnostic.path("free_bytes").isNull()).isTrue();
        });
  }

  @Test
  void drawsASeriesWithItsBand() throws IOException {
    StringBuilder csv = new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    for (int i = 0; i < 60; i++) {
      csv.append(60 * i).append(',').append((i % 7) << 28).append(',').append(8L << 30);
      csv.append('\n');
    }
    Path series = Files.writeString(folder.resolve("<series>.csv"), csv);
    Path drawing = folder.resolve("plot.svg");
    CommandRun run = CommandRun.of("forecast", "--series", series, "--plot", drawing);
    assertThat(run.out()).contains("peak-bound");
    String svg = Files.readString(drawing);
    assertThat(svg)
        .startsWith("<svg ")
        .endsWith("</svg>\n")
        .contains("<polyline", "#f3b562", "&lt;series&gt;")
        .contains("in 95 % of cases")
        .doesNotContain("NaN");
  }

  @Test
  void saysThatAServerCannotBeReached() {
    CommandRun run = CommandRun.of("forecast", "--prometheus", "http://127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("http://127.0.0.1:1").hasLineCount(1);
  }

  @Test
  void asksForTheCapacityThatASeriesDoesNotState() throws IOException {
    Path series =
        Files.writeString(
            folder.resolve("series.csv"), "timestamp_seconds,used_memory_bytes\n0,1\n30,1\n");

    CommandRun without = CommandRun.of("forecast", "--series", series);
    CommandRun with = CommandRun.of("forecast", "--series", series, "--device", "t4");

    assertThat(without.exitCode()).isEqualTo(2);
    assertThat(without.err()).contains("--device");
    assertThat(with.exitCode()).isZero();
  }
}

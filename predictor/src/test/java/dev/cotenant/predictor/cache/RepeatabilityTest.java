package dev.cotenant.predictor.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RepeatabilityTest {
  private static RunHistory history(double... values) {
    List<RunHistory.Dated> dated = new ArrayList<>();
    for (double value : values) {
      dated.add(new RunHistory.Dated(value, Instant.EPOCH.plusSeconds(dated.size())));
    }
    return RunHistory.of(dated, 1, true);
  }

  /* Forty deviations of elsewhere: the ceil(41 · 0.9) = 37th, three below the largest of ±. */
  @Test
  void goesByRunsElsewhereWhereNothingWasRepeated() {
    Repeatability none = Repeatability.ofUtilization(List.of(history(3.0), history(4.0)));

    assertThat(none.checks()).isZero();
    assertThat(none.above()).isEqualTo(0.128);
    assertThat(none.below()).isEqualTo(0.128);
    assertThat(Repeatability.ofMemory(List.of()).above()).isEqualTo(0.05);
  }

  /* 400 repetitions to the last digit and the forty: the ceil(441 · 0.9) = 397th is 0, so 3 %. */
  @Test
  void isNeverNearerThanMeasurementsRepeatAnywhere() {
    List<RunHistory> exact = Collections.nCopies(400, history(3.0, 3.0));

    assertThat(Repeatability.ofUtilization(exact).above()).isEqualTo(0.03);
    assertThat(Repeatability.ofMemory(exact).above()).isEqualTo(0.02);
  }

  /* Of 400 each 0.5 above: more than a tenth of 440, so that the bound is 0.5; below it stays 3 %. */
  @Test
  void learnsOnWhichSideRepetitionsLie() {
    Repeatability rising = Repeatability.ofUtilization(Collections.nCopies(400, history(3.0, 3.5)));

    assertThat(rising.above()).isCloseTo(0.5, within(1e-12));
    assertThat(rising.below()).isEqualTo(0.03);
  }

  /** A configuration that comes every hour gives five checks of its twenty runs. */
  @Test
  void isNotRuledByOneConfiguration() {
    double[] hourly = new double[20];
    for (int i = 0; i < hourly.length; i++) {
      hourly[i] = 3 + 0.4 * (i % 2);
    }

    assertThat(Repeatability.ofUtilization(List.of(history(hourly))).checks()).isEqualTo(5);
  }

  /** What stands in until a cluster has repetitions is what SPREAD's runs were apart by. */
  @Test
  void boundsNineOfTenRepetitionsOfAPublicSet() throws IOException {
    double bound = Repeatability.ofUtilization(List.of()).above();
    double above = 0;
    double below = 0;
    List<RunHistory> repeated = repeated();
    for (RunHistory runs : repeated) {
      List<Double> surprises = runs.surprises(20);
      above += share(surprises, bound);
      below += share(surprises.stream().map(surprise -> -surprise).toList(), bound);
    }

    assertThat(repeated).hasSize(37);
    assertThat((above + below) / 2 / repeated.size()).isBetween(0.9, 0.95);
  }

  private static double share(List<Double> surprises, double bound) {
    return (double) surprises.stream().filter(surprise -> surprise <= bound).count()
        / surprises.size();
  }

  /** Training alone on one whole GPU, each configuration that ran at least twice. */
  private static List<RunHistory> repeated() throws IOException {
    List<String> lines = Files.readAllLines(OutsideData.require("data/spread/runs_summary.csv"));
    List<String> names = List.of(lines.getFirst().split(",", -1));
    Map<String, TreeMap<String, Double>> byConfiguration = new TreeMap<>();
    for (String line : lines.subList(1, lines.size())) {
      List<String> fields = List.of(line.split(",", -1));
      String alone = "";
      for (String name : List.of("mps_pct", "workers", "world_size", "distinct_gpus")) {
        alone += fields.get(names.indexOf(name)) + " ";
      }
      String percent = fields.get(names.indexOf("util_mean_steady"));
      if (alone.equals("100 1 1 1 ") && !percent.isEmpty()) {
        String configuration =
            fields.get(names.indexOf("model"))
                + fields.get(names.indexOf("batch"))
                + fields.get(names.indexOf("mode"));
        byConfiguration
            .computeIfAbsent(configuration, _ -> new TreeMap<>())
            .put(
                fields.get(names.indexOf("timestamp")) + line,
                Math.log1p(Double.parseDouble(percent)));
      }
    }
    return byConfiguration.values().stream()
        .filter(runs -> runs.size() > 1)
        .map(runs -> history(runs.values().stream().mapToDouble(Double::doubleValue).toArray()))
        .toList();
  }
}

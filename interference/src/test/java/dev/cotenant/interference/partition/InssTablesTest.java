package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.learning.linear.LeastSquares;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The latencies that InSS's authors printed, against the forms of the model: their coefficients and
 * profile points were not published, so that each form is fitted to a group of four.
 */
class InssTablesTest {
  /** Every error that the tables print is below it. */
  private static final double STATED_ERROR = 0.04;

  private record Row(
      int table,
      String group,
      int batch,
      double share,
      double observed,
      double predicted,
      double error) {}

  private static final List<Row> ROWS = rows();

  private static List<Row> rows() {
    try (InputStream in = InssTablesTest.class.getResourceAsStream("/inss-tables.csv")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#") && !line.startsWith("table"))
          .map(line -> line.split(",", -1))
          .map(cells ->
              new Row(
                  Integer.parseInt(cells[0]),
                  cells[1],
                  Integer.parseInt(cells[2]),
                  Double.parseDouble(cells[3]),
                  Double.parseDouble(cells[4]),
                  Double.parseDouble(cells[5]),
                  Double.parseDouble(cells[6])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Row> group(String name) {
    return ROWS.stream().filter(row -> row.group.equals(name)).toList();
  }

  @Test
  void areTranscribedWithTheErrorsThatTheyPrint() {
    assertThat(ROWS).hasSize(28);
    for (Row row : ROWS) {
      double percent = 100 * Math.abs(row.predicted - row.observed) / row.observed;
      assertThat(percent).as(row.toString()).isCloseTo(row.error, within(0.02));
    }
    assertThat(ROWS.stream().mapToDouble(Row::error).max().orElseThrow() / 100)
        .isLessThan(STATED_ERROR);
  }

  /** γ(b) = k1·b² + k2·b + k3 at one share; neighbours with a fixed batch scale it. */
  @ParameterizedTest
  @ValueSource(strings = {"R", "A&R*", "V&A*&R*"})
  void activeTimesOverTheBatchHaveTheModelsForm(String name) {
    List<Row> four = group(name);
    double[][] relative = new double[four.size()][];
    for (int i = 0; i < relative.length; i++) {
      double b = four.get(i).batch;
      double scale = four.get(i).share * four.get(i).observed;
      relative[i] = new double[] {b * b / scale, b / scale, 1 / scale};
    }
    double[] k = LeastSquares.linear(relative, new double[] {1, 1, 1, 1}).orElseThrow();
    ActiveTime fitted = new ActiveTime(k[0], k[1], k[2], 0, 0);

    assertThat(meanError(four, fitted)).isLessThan(STATED_ERROR);
  }

  /** k_act(r) = γ/(r + k4) + k5 at one batch; k4 in steps of a tenth of a percent. */
  @ParameterizedTest
  @ValueSource(strings = {"M", "R1&M*", "V1&R1*&M*"})
  void activeTimesOverTheShareHaveTheModelsForm(String name) {
    List<Row> four = group(name);
    double least = Double.POSITIVE_INFINITY;
    for (int tenths = -55; tenths <= 200; tenths++) {
      double k4 = tenths / 10.0;
      double[][] relative = new double[four.size()][];
      for (int i = 0; i < relative.length; i++) {
        double observed = four.get(i).observed;
        relative[i] = new double[] {1 / ((four.get(i).share + k4) * observed), 1 / observed};
      }
      double[] k = LeastSquares.linear(relative, new double[] {1, 1, 1, 1}).orElseThrow();
      least = Math.min(least, meanError(four, new ActiveTime(0, 0, k[0], k4, k[1])));
    }
    assertThat(least).isLessThan(STATED_ERROR);
  }

  private static double meanError(List<Row> rows, ActiveTime time) {
    return rows.stream()
        .mapToDouble(row -> Math.abs(time.millis(row.batch, row.share) / row.observed - 1))
        .average()
        .orElseThrow();
  }

  /**
   * Latency grows linearly with the share of a neighbour, whose L2 is linear in it: from the ends
   * follow the two in between, closer than the authors' own predictions.
   */
  @Test
  void latencyGrowsWithTheNeighboursShareAsPrinted() {
    List<Row> four = group("E*&M1");
    Row first = four.getFirst();
    Row last = four.getLast();
    double cache = 0.01;
    double slope = (last.observed - first.observed) / (last.share - first.share);
    double alone = first.observed - slope * first.share;
    WorkloadProfile base =
        new WorkloadProfile(
            "e",
            "d",
            new ActiveTime(0, 0, 0, 0, alone),
            cache,
            new WorkloadProfile.Demand(0, 0, 0, 0),
            0,
            0,
            0,
            0);
    Inss.Coefficients known =
        new Inss.Coefficients(base, (_, _) -> alone, slope / (alone * cache), 0);
    DeviceProfile device = new DeviceProfile("d", 100, 1000, 10, 1000, 0, 0, 0, 2.5);

    for (Row row : four) {
      double latency =
          Inss.latencyMillis(
              device,
              List.of(
                  new Inss.Placed(known, row.batch, 18),
                  new Inss.Placed(known, row.batch, row.share)),
              0);
      double error = 100 * Math.abs(latency / row.observed - 1);
      assertThat(error).as(row.toString()).isLessThan(row.error);
    }
  }
}

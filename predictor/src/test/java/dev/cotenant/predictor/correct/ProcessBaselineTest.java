package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProcessBaselineTest {
  private static final double MIB = 1 << 20;
  private static final String PLATFORM = "a100-40gb/training/fp32";
  private static final int SEEDS = 50;

  /** Residuals of the base, asked as on a measured host. */
  private static List<Residual> residuals(List<ProfileRow> rows) {
    List<Residual> residuals = new ArrayList<>();
    for (ProfileRow row : rows) {
      LogBounds base =
          CorrectedTarget.PEAK_MEMORY.predicted(
              Hosts.BASE.predict(
                  PredictionRequest.of(
                          row.features(),
                          row.settings(),
                          Clusters.DEVICES.require(row.device().value()))
                      .on(Host.MEASURED)));
      double measured = CorrectedTarget.PEAK_MEMORY.measured(row).orElseThrow();
      residuals.add(new Residual(row, base, measured - base.mean()));
    }
    return residuals;
  }

  private static ProcessBaseline of(List<ProfileRow> rows) {
    return Objects.requireNonNull(
        ProcessBaseline.of(Set.of(PLATFORM), residuals(rows)).get(PLATFORM));
  }

  /** 1,400 expected and 600 taken, beside 20 MiB a sample: 800 less. */
  @Test
  void readsTheContextOffSmallRuns() {
    ProcessBaseline context =
        of(List.of(Hosts.run(0, 1, 620), Hosts.run(1, 2, 640), Hosts.run(2, 4, 680)));
    assertThat(context.extraBytes() / MIB).isBetween(-830.0, -770.0);
    assertThat(context.deviationBytes() / MIB).isBetween(4.0, 60.0);
  }

  /** A run of 163,840 MiB of activations is known within 4 %, some 6,000 MiB. */
  @Test
  void learnsNextToNothingFromALargeRun() {
    ProcessBaseline context = of(List.of(Hosts.run(0, 8192, 600 + 163_840)));
    assertThat(context.extraBytes() / MIB).isBetween(-30.0, 0.0);
    assertThat(context.deviationBytes() / MIB).isBetween(450.0, 530.0);
  }

  @Test
  void isNotMovedByOneModelThatIsOffForReasonsOfItsOwn() {
    List<ProfileRow> rows =
        new ArrayList<>(
            List.of(Hosts.run(0, 1, 1420), Hosts.run(1, 1, 1420), Hosts.run(2, 1, 1420)));
    for (int batch = 1; batch <= 64; batch *= 2) {
      rows.add(Hosts.run(3, batch, 3 * (1400 + 20 * batch)));
    }
    assertThat(of(rows).extraBytes() / MIB).isBetween(-30.0, 60.0);
  }

  /** √(ln(1.05)² + (1.2816 · 100 / 1000)²) = 0.137. */
  @Test
  void movesAnEstimateAndWidensItsBoundsByWhatIsNotKnown() {
    double mean = Math.log(1500 * MIB);
    LogBounds base = new LogBounds(mean, mean - Math.log(1.05), mean + Math.log(1.05));
    LogBounds moved = new ProcessBaseline(-500 * MIB, 100 * MIB).on(base);
    assertThat(Math.exp(moved.mean()) / MIB).isCloseTo(1000, within(1e-6));
    assertThat(moved.above()).isCloseTo(0.137, within(1e-3));
    assertThat(moved.below()).isCloseTo(0.137, within(1e-3));
  }

  /** No less than a sixteenth is left, whatever is taken away. */
  @Test
  void neverTakesAnEstimateBelowNothing() {
    double mean = Math.log(100 * MIB);
    LogBounds moved =
        new ProcessBaseline(-900 * MIB, MIB).on(new LogBounds(mean, mean - 0.1, mean + 0.1));
    assertThat(Math.exp(moved.mean()) / MIB).isCloseTo(6.25, within(1e-6));
  }

  @Test
  void fiveRunsOfHostsThatTakeLessOrMoreHelp() {
    for (double context : new double[] {500, 1000, 2000}) {
      for (int seed = 0; seed < SEEDS; seed++) {
        Random random = new Random(seed);
        FeaturePredictor better = Hosts.corrected(Hosts.runs(5, random, context));
        List<ProfileRow> fresh = Hosts.runs(200, random, context);
        assertThat(Hosts.meanSquare(better, fresh))
            .as("context of %s MiB, seed %s", context, seed)
            .isLessThan(0.6 * Hosts.meanSquare(Hosts.BASE, fresh));
      }
    }
  }

  /** A base that is off by 3.0 % is off by 3.3 after five such runs, by 3.1 after twenty. */
  @Test
  void runsOfHostsThatTakeWhatIsExpectedCostNextToNothing() {
    assertThat(ratioWhereAllIsAsExpected(5)).isLessThan(1.21);
    assertThat(ratioWhereAllIsAsExpected(20)).isLessThan(1.07);
  }

  private static double ratioWhereAllIsAsExpected(int runs) {
    double ratios = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      FeaturePredictor better = Hosts.corrected(Hosts.runs(runs, random, Hosts.CONTEXT));
      List<ProfileRow> fresh = Hosts.runs(200, random, Hosts.CONTEXT);
      ratios += Hosts.meanSquare(better, fresh) / Hosts.meanSquare(Hosts.BASE, fresh);
    }
    return ratios / SEEDS;
  }

  @Test
  void knowsNothingOfAPlatformWithoutRuns() {
    ProcessBaseline context = of(List.of());
    assertThat(context.extraBytes()).isCloseTo(0, within(1e-3));
    assertThat(context.deviationBytes() / MIB).isCloseTo(512, within(1.0));
  }

  /** What was a factor of two either way is a few percent, also for a family that never ran. */
  @Test
  void boundsOfANewModelNarrowOnceTheHostIsKnown() {
    List<ProfileRow> rows = Hosts.runs(20, new Random(1), 600);
    MemoryEstimate after =
        Clusters.predict(Hosts.corrected(rows), Hosts.run(9, 8, 760)).peakMemory();
    assertThat(after.mean().toMiB()).isBetween(700.0, 820.0);
    assertThat(after.upper().toMiB() / after.mean().toMiB()).isBetween(1.02, 1.3);
  }

  @Test
  void filesHoldTheBaselinesOfHosts() {
    byte[] file = CorrectionFile.write(Hosts.trained(Hosts.runs(20, new Random(1), 600)));
    Correction read = CorrectionFile.read(file, "the file");
    assertThat(CorrectionFile.write(read)).isEqualTo(file);
    assertThat(CorrectionFile.label(file)).matches("corrected-2-[0-9a-f]{12}");
    assertThat(read.of(CorrectedTarget.PEAK_MEMORY).contexts()).containsOnlyKeys(PLATFORM);
    assertThat(read.shifts(CorrectedTarget.PEAK_MEMORY)).isTrue();
  }

  @Test
  void refusesWhatNoHostCanTake() {
    for (double[] bad : new double[][] {{Double.NaN, 1}, {0, 0}, {1e13, 1}, {0, Double.NaN}}) {
      assertThatThrownBy(() -> new ProcessBaseline(bad[0], bad[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}

package dev.cotenant.lab.serving;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.gpulets.GletScenarios;
import dev.cotenant.lab.gpulets.GletServer;
import dev.cotenant.lab.gpulets.ShareInterpretation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Figures 4 and 15 of gpu-lets: how many of 1,023 scenarios strategies schedule on four GPUs, five
 * models at 0, 200, 400 or 600 requests a second each.
 *
 * <p>A seed takes one scenario in sixteen, from another start, so that 16 seeds take all once.
 */
public final class GpuLetsScenarios implements Preset {
  public static final Card CARD =
      new Card(
          "gpu-lets-scenarios",
          "Scenarios of five models on four GPUs that strategies schedule; all 1,023 with --seeds"
              + " 16",
          "gpu-lets (ATC 2022), Figures 4 and 15",
          16);

  private static final int STRIDE = 16;
  private static final String SBP = "sbp";
  private static final String GPULETS = "gpulets";
  private static final String WHOLE_RATES = "gpulets, whole rates";

  /** 18 scenarios. */
  private static final double BELOW_IDEAL = 100 * 18.0 / GletScenarios.COUNT;

  private static final String READING =
      "the authors' latencies are not public, times come from graphs and measured effects of"
          + " shares; as in the authors' code, a tenth of each gpu-let's throughput is held back,"
          + " and 85 % of a rate is enough beside a neighbour, which lets all scenarios in; with"
          + " whole rates the gap to ideal is as large as the paper's 18 scenarios";
  private static final String HALVES =
      "all, here and in the paper: squishy bin packing on eight halves, neighbours not noticed";

  private final GletServer asCoded;
  private final GletServer whole;

  public GpuLetsScenarios(List<UtilizationCell> cells) {
    asCoded = GpuLetsRun.of(cells, ShareInterpretation.MEASURED_SHARES_85).server();
    whole = GpuLetsRun.of(cells, ShareInterpretation.MEASURED_SHARES).server();
  }

  /** Percent of the scenarios of a seed. */
  private static double percent(long seed, Predicate<Map<String, Double>> schedules) {
    int start = 1 + (int) (seed % STRIDE);
    int[] numbers =
        IntStream.iterate(start, i -> i <= GletScenarios.COUNT, i -> i + STRIDE).toArray();
    long count = IntStream.of(numbers).filter(i -> schedules.test(GletScenarios.rates(i))).count();
    return 100.0 * count / numbers.length;
  }

  private static Predicate<Map<String, Double>> by(GletServer server, String strategy) {
    return rates -> server.plan(strategy, rates, Map.of()).isPresent();
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    Sheet<Double> figure4 = new Sheet<>("Figure 4");
    Sheet<Double> figure15 = new Sheet<>("Figure 15");
    for (int seed = 0; seed < seeds; seed++) {
      progress.accept("one scenario in " + STRIDE + ", from " + (seed % STRIDE + 1));
      figure4.add("sbp, whole GPUs", percent(seed, by(asCoded, SBP)));
      figure4.add("sbp, halves", percent(seed, asCoded::schedulesInHalves));
      double ideal = percent(seed, by(asCoded, "ideal"));
      figure15.add(GPULETS, ideal - percent(seed, by(asCoded, GPULETS)));
      figure15.add(
          WHOLE_RATES, percent(seed, by(whole, "ideal")) - percent(seed, by(whole, GPULETS)));
    }
    figure4.figure(
        "schedulable_percent",
        percent -> percent,
        policy ->
            policy.equals("sbp, halves")
                ? new Published(100.0, Bar.atLeast(99), HALVES)
                : Published.none("drawn without numbers"));
    figure15.figure(
        "percent_below_ideal",
        percent -> percent,
        policy ->
            new Published(
                BELOW_IDEAL, policy.equals(GPULETS) ? Bar.atMost(BELOW_IDEAL) : null, READING));
    List<Cell> cells = new ArrayList<>(figure4.cells());
    cells.addAll(figure15.cells());
    return cells;
  }
}

package dev.cotenant.lab.serving;

import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ServedWorkload;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.plans.IgniterFleets;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.igniter.PlanningCost;
import dev.cotenant.simulator.event.Draws;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Figure 21 of iGniter: work of planning 10 to 1,000 workloads, counted in runs of algorithm 2.
 *
 * <p>The paper states neither objectives nor rates of its larger sets: here the twelve workloads of
 * its Table 3 in turn, with rates times U(0.5, 1) and objectives times U(1, 2).
 */
public final class IgniterPlanningCost implements Preset {
  public static final Card CARD =
      new Card(
          "igniter-planning-cost",
          "Work of planning 10 to 1,000 inference services",
          "iGniter (TPDS 2022), Figure 21",
          5);

  private static final int[] WORKLOADS = {10, 50, 100, 200, 500, 1_000};
  private static final String READING =
      "the paper prints times of its Python code (3.64 ms for 12 workloads, 4.61 s for 1,000;"
          + " O(m²)); counted here are runs of algorithm 2, which depend on no machine, and"
          + " benchmarks/README.md has times; the sets beyond twelve are not published";

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    List<Cell> cells = new ArrayList<>();
    for (int workloads : WORKLOADS) {
      progress.accept(workloads + " workloads");
      Sheet<PlanningCost> sheet = new Sheet<>("Figure 21");
      for (int seed = 0; seed < seeds; seed++) {
        Fleet fleet = fleet(workloads, seed);
        sheet.add("igniter", PlanningCost.of(fleet.devices().getFirst(), fleet.services()));
      }
      String at = String.format(Locale.ROOT, "_at_%d_workloads", workloads);
      sheet.figure("gpus" + at, PlanningCost::gpus, _ -> Published.none(READING));
      sheet.figure("evaluations" + at, PlanningCost::evaluations, _ -> Published.none(READING));
      sheet.figure(
          "evaluations_of_the_published_loop" + at,
          PlanningCost::publishedEvaluations,
          _ -> Published.none(READING));
      cells.addAll(sheet.cells());
    }
    return cells;
  }

  /** A set of the Javadoc. */
  static Fleet fleet(int workloads, long seed) {
    Draws draws = new Draws(seed);
    List<ServedWorkload> twelve = ProfileBook.twelveWorkloads().served();
    List<ServedWorkload> served = new ArrayList<>();
    for (int i = 0; i < workloads; i++) {
      ServedWorkload like = twelve.get(i % twelve.size());
      served.add(
          new ServedWorkload(
              "w" + i,
              like.profile(),
              like.sloMillis() * draws.uniform(1, 2),
              like.requestsPerSecond() * draws.uniform(0.5, 1)));
    }
    return IgniterFleets.of(served);
  }
}

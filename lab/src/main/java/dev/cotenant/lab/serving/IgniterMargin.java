package dev.cotenant.lab.serving;

import static dev.cotenant.lab.figure.Sheet.percent;

import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Our own planner beside iGniter in iGniter's setting: GPUs of the same price without violations,
 * for workloads that are drawn as those of {@link IgniterPlanningCost}.
 */
public final class IgniterMargin implements Preset {
  public static final Card CARD =
      new Card(
          "igniter-margin",
          "GPUs that our own planner needs beside iGniter, on drawn sets of inference services",
          "iGniter (TPDS 2022), section 5.3, on sets of our own",
          20);

  private static final List<ServicePlanner> PLANNERS =
      List.of(IgniterPlanner.IGNITER, IgniterPlans.PLANNER);
  private static final String READING =
      "not in the paper, whose sets beyond twelve are not published; violations are those that"
          + " iGniter's model predicts at equal intervals";
  private static final String OURS =
      "best never needs more: it searches batches and groups where iGniter places workloads one"
          + " after the other";

  private final List<Integer> sizes;

  public IgniterMargin() {
    this(List.of(12, 24, 48));
  }

  /**
   * @param sizes of the sets
   */
  public IgniterMargin(List<Integer> sizes) {
    this.sizes = List.copyOf(sizes);
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    List<Cell> cells = new ArrayList<>();
    for (int size : sizes) {
      progress.accept(size + " workloads");
      Sheet<PlannedServices> sheet = new Sheet<>("GPUs for drawn sets");
      for (int seed = 0; seed < seeds; seed++) {
        Fleet fleet = IgniterPlanningCost.fleet(size, seed);
        for (ServicePlanner planner : PLANNERS) {
          sheet.add(planner.name(), PlannedServices.of(fleet, planner, seed));
        }
      }
      String of = "_of_" + size + "_workloads";
      sheet.figure("gpus" + of, PlannedServices::gpus, _ -> Published.none(READING));
      sheet.margin(
          "gpus" + of + "_percent",
          new Versus(IgniterPlans.PLANNER.name(), IgniterPlanner.IGNITER.name()),
          percent(PlannedServices::gpus),
          new Published(null, Bar.atMost(0), OURS));
      sheet.figure(
          "violations" + of,
          PlannedServices::violations,
          _ -> new Published(null, Bar.atMost(0), READING));
      cells.addAll(sheet.cells());
    }
    return cells;
  }
}

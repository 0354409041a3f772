package dev.cotenant.serving;

import dev.cotenant.domain.InputException;
import java.util.Locale;

/**
 * How {@link FleetController} decides.
 *
 * @param rates how they are tracked
 * @param moves what changes may cost
 */
public record ControllerSettings(Rates rates, Moves moves) {
  /**
   * How rates are tracked.
   *
   * @param weight of the last interval in the moving average, above 0 to 1
   * @param coverage with which the bound holds that is planned for, above 0.5 and below 1
   * @param headroom by how much more than the bound is planned for, 0 to 1
   * @param slack a planned rate falls when the wanted one is lower by this share, 0 to 1
   * @param calmPeriods for so many periods in a row, at least 1
   */
  public record Rates(
      double weight, double coverage, double headroom, double slack, int calmPeriods) {
    public Rates {
      require("weight", weight, weight > 0 && weight <= 1, "above 0 to 1");
      require("coverage", coverage, coverage > 0.5 && coverage < 1, "above 0.5 and below 1");
      require("headroom", headroom, headroom >= 0 && headroom <= 1, "0 to 1");
      require("slack", slack, slack >= 0 && slack < 1, "at least 0 and below 1");
      require("calm periods", calmPeriods, calmPeriods >= 1, "at least 1");
    }
  }

  /**
   * What changes may cost.
   *
   * @param perPeriod partitions that may go to another GPU in one period, at least 0
   * @param price of a move as a part of a GPU, above 0
   */
  public record Moves(int perPeriod, double price) {
    public Moves {
      require("moves of a period", perPeriod, perPeriod >= 0, "at least 0");
      require("price of a move", price, price > 0 && price < 1e6, "above 0");
    }
  }

  /**
   * Half of the last interval in the average, as in gpu-lets' experiments; 90 of 100 next rates
   * covered, a tenth on top; falls after three periods; ten moves a period, five for a GPU.
   */
  public static ControllerSettings defaults() {
    return new ControllerSettings(new Rates(0.5, 0.9, 0.1, 0.25, 3), new Moves(10, 0.2));
  }

  private static void require(String what, double value, boolean isInRange, String range) {
    if (!isInRange) {
      throw InputException.invalidArgument(
          "controller-setting-out-of-range",
          String.format(Locale.ROOT, "The %s must be %s, is %s.", what, range, value));
    }
  }
}

package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.hybrid.HybridRegression.Answer;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.model.ResidualQuantiles;
import java.util.List;

/** Bounds of runs that are like no measured one: of a new family or a new device. */
sealed interface FarBound {
  /** Scores of families and devices held out. */
  LevelQuantiles quantiles();

  /** Offsets from an answer in the target's logarithm. */
  ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level);

  /** Offsets that a host without measured runs adds to those of a familiar run. */
  ResidualQuantiles ofHost(Run run, Coverage level);

  /**
   * Quantiles of the prior's standard error.
   *
   * @param uncertainty standard error of the prior at a run
   */
  record OfCoefficients(ParameterUncertainty uncertainty, LevelQuantiles quantiles)
      implements FarBound {
    @Override
    public ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level) {
      return uncertainty.of(run, host).times(quantiles.at(level));
    }

    @Override
    public ResidualQuantiles ofHost(Run run, Coverage level) {
      return uncertainty.ofHost(run).times(quantiles.at(level));
    }
  }

  /**
   * Quantiles of what transfers miss, each on a family or device held out of its fit.
   *
   * @param transfer whose answers are bounded, on measured devices as well
   * @param quantiles of its scores: families and devices held out
   * @param devices transfers fitted without one device, with their scores on that device
   */
  record Jackknife(DeviceTransfer transfer, LevelQuantiles quantiles, List<HeldOut> devices)
      implements FarBound {
    /** Start-up and the resolution of the counter matter below this: errors are absolute there. */
    private static final double FLOOR_PERCENT = 10;

    public Jackknife {
      devices = List.copyOf(devices);
    }

    /**
     * A device held out.
     *
     * @param formula fitted to the runs on other devices
     * @param quantiles of its scores on the device, each family counting once
     */
    record HeldOut(UtilizationPrior formula, LevelQuantiles quantiles) {}

    /** The widest of all: a new device may be like any that was held out. */
    @Override
    public ResidualQuantiles offsets(Run run, Answer answer, Host host, Coverage level) {
      ResidualQuantiles widest = around(transfer.formula(), quantiles.at(level), run, answer);
      for (HeldOut device : devices) {
        widest =
            widest.widerOf(around(device.formula(), device.quantiles().at(level), run, answer));
      }
      return widest;
    }

    private static ResidualQuantiles around(
        UtilizationPrior formula, ResidualQuantiles missed, Run run, Answer answer) {
      double expected = floored(formula.log(run.eager()));
      return new ResidualQuantiles(
          Math.min(0, unfloored(expected + missed.lower()) - answer.log()),
          Math.max(0, unfloored(expected + missed.upper()) - answer.log()));
    }

    /** The error of a formula at a run, given log1p of the measured percent. */
    static double score(UtilizationPrior formula, Run run, double measured) {
      return floored(measured) - floored(formula.log(run.eager()));
    }

    private static double floored(double log) {
      return Math.log(Math.expm1(log) + FLOOR_PERCENT);
    }

    private static double unfloored(double floored) {
      return Math.log1p(Math.max(0, Math.exp(floored) - FLOOR_PERCENT));
    }

    @Override
    public ResidualQuantiles ofHost(Run run, Coverage level) {
      return new ResidualQuantiles(0, 0);
    }
  }
}

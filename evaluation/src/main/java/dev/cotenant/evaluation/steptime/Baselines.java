package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a step would take by one catalogue number, up to a constant that training rows give. */
final class Baselines {
  private static final double MEDIAN = 0.5;

  private Baselines() {}

  /** Seconds up to a factor, by name. */
  static Map<String, ToDoubleFunction<StepTimeRun>> all() {
    Map<String, ToDoubleFunction<StepTimeRun>> all = new LinkedHashMap<>();
    all.put("macs/peak", Baselines::arithmetic);
    all.put("bytes/bandwidth", Baselines::traffic);
    all.put("constant a sample", run -> run.work().batch());
    return all;
  }

  private static double arithmetic(StepTimeRun run) {
    StepWork work = run.work();
    Device device = run.part().device();
    double rate = StepTimeFormula.teraflops(device, run.settings().precision());
    return 2 * work.macs() * work.batch() / (rate * 1e12 * run.part().smShare());
  }

  private static double traffic(StepTimeRun run) {
    double rate =
        run.part().device().bandwidthGigabytesPerSecond() * 1e9 * run.part().memoryShare();
    return run.settings().precision().activationBytes()
        * run.work().moved()
        * run.work().batch()
        / rate;
  }

  /** Log seconds, with the factor that fits training rows in the median. */
  static ToDoubleFunction<StepTimeRun> scaled(
      ToDoubleFunction<StepTimeRun> baseline, List<StepTimeRun> train) {
    double factor =
        Quantiles.conformal(
            train.stream()
                .mapToDouble(run -> Math.log(run.seconds() / baseline.applyAsDouble(run)))
                .toArray(),
            MEDIAN);
    return run -> Math.log(baseline.applyAsDouble(run)) + factor;
  }
}

package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Step times of a network on a device from its times on others, by catalogue numbers. */
final class DeviceTransfer {
  /** What launches and caches add to the least favourable ratio. */
  private static final double MARGIN = Math.log(1.1);

  private DeviceTransfer() {}

  /** The network's own rows on other devices, within its stack where there are any; their mean. */
  static Scored of(Fold fold) {
    Map<String, List<StepTimeRun>> bySize =
        fold.train().stream().collect(Collectors.groupingBy(Bench::sized));
    Scored scored = new Scored();
    for (StepTimeRun run : fold.test()) {
      List<StepTimeRun> own = bySize.getOrDefault(Bench.sized(run), List.of());
      List<StepTimeRun> same =
          own.stream().filter(other -> other.stack().equals(run.stack())).toList();
      (same.isEmpty() ? own : same)
          .stream()
              .mapToDouble(other -> logSeconds(other, run))
              .average()
              .ifPresent(log -> scored.add(run, log));
    }
    return scored;
  }

  /** One row each, with a bound by the less favourable ratio. */
  static Scored bounded(Fold direction) {
    Map<String, StepTimeRun> own =
        direction.train().stream()
            .collect(Collectors.toMap(Bench::sized, run -> run, (first, _) -> first));
    Scored scored = new Scored();
    for (StepTimeRun run : direction.test()) {
      StepTimeRun from = own.get(Bench.sized(run));
      if (from != null) {
        scored.add(run, logSeconds(from, run), logBound(from, run));
      }
    }
    return scored;
  }

  /** Half of the ratio of peaks and half of that of bandwidths, in logarithms. */
  private static double logSeconds(StepTimeRun from, StepTimeRun to) {
    return unchanged(from, to) - (peak(from, to) + bandwidth(from, to)) / 2;
  }

  private static double logBound(StepTimeRun from, StepTimeRun to) {
    double least = Math.min(bandwidth(from, to), Math.min(peak(from, to), plainPeak(from, to)));
    return unchanged(from, to) - least + MARGIN;
  }

  private static double unchanged(StepTimeRun from, StepTimeRun to) {
    return Math.log(from.secondsPerSample() * to.work().batch());
  }

  private static double peak(StepTimeRun from, StepTimeRun to) {
    Precision precision = to.settings().precision();
    return Math.log(
        StepTimeFormula.teraflops(to.part().device(), precision)
            / StepTimeFormula.teraflops(from.part().device(), precision));
  }

  /** Of fp32, in which normalisations and activations of an autocast run. */
  private static double plainPeak(StepTimeRun from, StepTimeRun to) {
    return Math.log(plain(to.part().device()) / plain(from.part().device()));
  }

  private static double plain(Device device) {
    return device.peak().teraflops(Precision.FP32);
  }

  private static double bandwidth(StepTimeRun from, StepTimeRun to) {
    return Math.log(
        to.part().device().bandwidthGigabytesPerSecond()
            / from.part().device().bandwidthGigabytesPerSecond());
  }
}

package dev.cotenant.lab.pairs;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The decision with its defaults and along its dial, the limit of summed utilization, so that the
 * risk that each step buys is seen; some with other limits changed. With the shipped predictor,
 * with the same after correction and caching by a cluster's own runs, and with solo measurements as
 * a perfect predictor.
 */
final class Decisions {
  private static final SharingLimits DEFAULT = SharingLimits.DEFAULT;
  private static final double[] DIAL = {60, 70, 80, 90, 110, 120, 130, 140, 150, 175, 200};
  private static final double[] SLOWDOWNS = {1.02, 1.05, 1.10, 1.15, 1.20, 1.25, 1.30, 1.40, 1.50};
  private static final double[] COVERAGES = {0.8, 0.5, 0};
  private static final double[] WIDTHS = {0, 0.5};
  private static final double LOOSEST_PERCENT = 200;

  private final SharingDecider decider;
  private final MeasuredPairs truth;
  private final List<PairPolicy> policies = new ArrayList<>();

  private Decisions(SharingDecider decider, MeasuredPairs truth) {
    this.decider = decider;
    this.truth = truth;
  }

  static List<PairPolicy> of(SharingDecider decider, MeasuredPairs truth) {
    Decisions all = new Decisions(decider, truth);
    Function<ReplayedJob, Optional<Prediction>> predicted =
        job -> Optional.ofNullable(job.predicted());
    all.add("decide", DEFAULT, predicted);
    all.dial("decide", DEFAULT, predicted);
    for (double coverage : COVERAGES) {
      all.add(name("decide", "coverage", coverage), covering(DEFAULT, coverage), predicted);
    }
    all.narrow("decide coverage=0", predicted);
    all.dial("decide coverage=0", covering(DEFAULT, 0), predicted);
    all.slowdowns("decide coverage=0", predicted);
    all.slowdownsByLeast("decide coverage=0", predicted);
    for (PriorRuns learned : PriorRuns.values()) {
      if (truth.jobs().stream().anyMatch(job -> !job.corrected().isEmpty())) {
        all.corrected(learned);
      }
    }
    if (truth.jobs().stream().anyMatch(job -> job.utilization() != null)) {
      Function<ReplayedJob, Optional<Prediction>> measured = measured(truth);
      all.add("decide-measured", DEFAULT, measured);
      all.dial("decide-measured", covering(DEFAULT, 0), measured);
      all.slowdowns("decide-measured", measured);
    }
    return all.policies;
  }

  private void corrected(PriorRuns learned) {
    String name = "decide-corrected learned=" + learned.label();
    Function<ReplayedJob, Optional<Prediction>> predictor =
        job -> Optional.ofNullable(job.corrected().get(learned));
    add(name, DEFAULT, predictor);
    add(name(name, "coverage", 0), covering(DEFAULT, 0), predictor);
    switch (learned) {
      case REGISTERED -> {
        dial(name, DEFAULT, predictor);
        slowdowns(name + " coverage=0", predictor);
        slowdownsByLeast(name + " coverage=0", predictor);
      }
      case ALL -> {
        dial(name, DEFAULT, predictor);
        slowdowns(name + " coverage=0", predictor);
      }
      case OTHERS -> {
        dial(name, DEFAULT, predictor);
        narrow(name + " coverage=0", predictor);
        slowdowns(name + " coverage=0", predictor);
      }
      case HALF, OTHER_MODELS -> {}
    }
  }

  private void narrow(String name, Function<ReplayedJob, Optional<Prediction>> predictor) {
    for (double width : WIDTHS) {
      add(
          name(name, "bounds", width),
          covering(DEFAULT, 0),
          job -> predictor.apply(job).map(p -> narrowed(p, width)));
    }
  }

  /** Everything but the limit of summed utilization as it is. */
  private void dial(
      String name, SharingLimits others, Function<ReplayedJob, Optional<Prediction>> predictor) {
    for (double percent : DIAL) {
      SharingLimits limits = others.withSummedUtilization(SummedUtilization.ofPercent(percent));
      add(name(name, "utilization", percent), limits, predictor);
    }
  }

  private void slowdowns(String name, Function<ReplayedJob, Optional<Prediction>> predictor) {
    for (double ratio : SLOWDOWNS) {
      String both = name(name, "utilization", LOOSEST_PERCENT) + " slowdown=" + figure(ratio);
      add(both, limits(LOOSEST_PERCENT, ratio), predictor);
    }
  }

  /** The same, each pod on the GPU on which the least slowdown is predicted. */
  private void slowdownsByLeast(
      String name, Function<ReplayedJob, Optional<Prediction>> predictor) {
    for (double ratio : SLOWDOWNS) {
      Decided.Knowledge knowledge =
          new Decided.Knowledge(
              truth.device(),
              limits(LOOSEST_PERCENT, ratio),
              predictor,
              Decided.Ranking.MIN_SLOWDOWN);
      String limits = name(name, "utilization", LOOSEST_PERCENT) + " slowdown=" + figure(ratio);
      policies.add(new PairPolicy(limits + " rank=slowdown", new Decided(decider, knowledge)));
    }
  }

  private void add(
      String name, SharingLimits limits, Function<ReplayedJob, Optional<Prediction>> predictor) {
    Decided.Knowledge knowledge = new Decided.Knowledge(truth.device(), limits, predictor);
    policies.add(new PairPolicy(name, new Decided(decider, knowledge)));
  }

  private static String name(String base, String what, double value) {
    return base + " " + what + "=" + figure(value);
  }

  private static String figure(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  /** Of predictions whatever their bounds are worth. */
  private static SharingLimits limits(double utilizationPercent, double slowdown) {
    return DEFAULT
        .withSummedUtilization(SummedUtilization.ofPercent(utilizationPercent))
        .withSlowdown(Slowdown.ofRatio(slowdown))
        .withLeastCoverage(Coverage.of(0));
  }

  private static SharingLimits covering(SharingLimits limits, double leastCoverage) {
    return limits.withLeastCoverage(Coverage.of(leastCoverage));
  }

  /** With an upper bound that is so much of the way from the mean. */
  private static Prediction narrowed(Prediction prediction, double width) {
    UtilizationEstimate busy = prediction.utilization();
    MemoryEstimate peak = prediction.peakMemory();
    double upper = busy.mean().percent() + width * (busy.upper().percent() - busy.mean().percent());
    MemorySize more = peak.upper().minusOrZero(peak.mean()).times(width);
    return with(
        prediction,
        new UtilizationEstimate(
            busy.mean(), busy.lower(), Utilization.ofPercentClipped(upper), busy.coverage()),
        new MemoryEstimate(peak.mean(), peak.lower(), peak.mean().plus(more), peak.coverage()));
  }

  private static Prediction with(
      Prediction prediction, UtilizationEstimate busy, MemoryEstimate peak) {
    return prediction.withUtilization(busy).withPeakMemory(peak);
  }

  /** Solo measurements as a prediction that always holds, with a graph if available. */
  private static Function<ReplayedJob, Optional<Prediction>> measured(MeasuredPairs truth) {
    Coverage always = Coverage.of(1);
    return job -> {
      Utilization busy = job.utilization();
      MemorySize peak = job.memory();
      if (busy == null || peak == null) {
        return Optional.empty();
      }
      UtilizationEstimate utilization = new UtilizationEstimate(busy, busy, busy, always);
      MemoryEstimate memory = new MemoryEstimate(peak, peak, peak, always);
      Prediction known = job.predicted();
      return Optional.of(
          known != null
              ? with(known, utilization, memory)
              : new Prediction(
                  truth.device().id(),
                  1,
                  RunSettings.DEFAULT,
                  utilization,
                  memory,
                  "measured",
                  List.of()));
    };
  }
}

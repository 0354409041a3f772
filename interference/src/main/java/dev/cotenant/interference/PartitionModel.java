package dev.cotenant.interference;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Inference in MPS partitions, without any measured pair: iGniter where only its coefficients are
 * known, the geometric mean of up to three published views where more was measured.
 */
public final class PartitionModel implements InterferenceModel {
  /*
   * View 1: iGniter as published, from its coefficients. View 2: the measured solo surface times
   * iGniter's ratio of colocated to solo time. View 3, for two workloads whose L2 and bandwidth were
   * measured: the surface times gpu-lets' factor with its authors' constants. iGniter's form tends to
   * over-estimate times alone and to under-estimate interference, gpu-lets' constants over-estimate
   * it; equal weights are a choice, not a fit. Uncertainty is what the authors published of views on
   * other hardware and models than one's own: iGniter's mean error is 3.9 % (the middles of its ranges
   * for VGG-19, SSD, AlexNet and ResNet-50, [iGniter, section 5.2]), of normal errors a deviation of
   * 0.039·sqrt(π/2) = 4.9 %; gpu-lets' authors found 90 % of cases within 10.26 %, a deviation of
   * 10.26/1.645 = 6.24 %. Nothing says that the errors of views cancel, so the deviation of their
   * mean is the mean of their deviations. That of the surface is joined for latencies.
   */
  /** Of the logarithm of a latency by iGniter's model, by its authors' mean error. */
  public static final double IGNITER_DEVIATION = 0.039 * Math.sqrt(Math.PI / 2);

  private static final double GPU_LETS_DEVIATION = 0.1026 / 1.6448536269514722;
  private static final double GUESSED_DEVIATION = 0.5;
  private static final String NAME = "partition";

  private final ProfileBook book;

  /** With these coefficients of devices. */
  public PartitionModel(ProfileBook book) {
    this.book = book;
  }

  /** One member with everything that is needed of it. */
  private record Placed(
      Colocation.Member member,
      double sharePercent,
      WorkloadProfile profile,
      @Nullable MeasuredSolo solo,
      double sourceDeviation) {
    Optional<Usage> usage() {
      return solo == null ? Optional.empty() : solo.usage(member.batch(), sharePercent);
    }
  }

  @Override
  public OnWholeGpu onWholeGpu() {
    return new OnWholeGpu.Unavailable();
  }

  @Override
  public Answer answer(Colocation colocation) {
    var device = book.device(colocation.device()).orElse(null);
    if (device == null) {
      return cannot("no interference coefficients for device '" + colocation.device() + "'");
    }
    List<Placed> placed = new ArrayList<>();
    for (Colocation.Member member : colocation.members()) {
      Share share = member.share();
      if (share == null) {
        return cannot("'" + member.name() + "' has no partition");
      }
      switch (member.source()) {
        case WorkloadProfileSource.Profiled(WorkloadProfile profile, MeasuredSolo solo) ->
            placed.add(new Placed(member, share.percent(), profile, solo, 0));
        case WorkloadProfileSource.Guessed(WorkloadProfile profile, MeasuredSolo solo) ->
            placed.add(new Placed(member, share.percent(), profile, solo, GUESSED_DEVIATION / 4));
        case WorkloadProfileSource.FromGraph _ -> {
          return cannot("'" + member.name() + "' was never profiled");
        }
        case WorkloadProfileSource.Training _ -> {
          return cannot("'" + member.name() + "' is a training job");
        }
      }
    }
    Optional<String> mismatch =
        placed.stream()
            .filter(p -> !p.profile().device().equals(device.device()))
            .map(p -> "'" + p.member().name() + "' was profiled on " + p.profile().device())
            .findFirst();
    return mismatch.isPresent()
        ? cannot(mismatch.get())
        : evaluate(placed, new GpuState(device, placed.size()), new GpuState(device, 1));
  }

  private Answer evaluate(List<Placed> placed, GpuState together, GpuState alone) {
    placed.forEach(p -> together.place(p.profile(), p.member().batch(), p.sharePercent()));
    GpuState.Status status = together.evaluate();
    if (status != GpuState.Status.VALID) {
      return cannot(reason(status));
    }
    List<Answer.Effect> effects = new ArrayList<>();
    String model = "igniter";
    for (int i = 0; i < placed.size(); i++) {
      Placed own = placed.get(i);
      alone.clear();
      alone.place(own.profile(), own.member().batch(), own.sharePercent());
      status = alone.evaluate();
      if (status != GpuState.Status.VALID) {
        return cannot(reason(status));
      }
      Optional<Usage> other = placed.size() == 2 ? placed.get(1 - i).usage() : Optional.empty();
      model = own.solo() == null ? model : other.isPresent() ? "igniter+gpu-lets" : "igniter+solo";
      effects.add(effect(own, together, i, new Views(alone, other)));
    }
    return new Answer.Estimated(model, effects);
  }

  private record Views(GpuState alone, Optional<Usage> other) {}

  private static Answer.Effect effect(Placed own, GpuState together, int i, Views views) {
    int batch = own.member().batch();
    double igniter = together.latencyMillis(i);
    double igniterSolo = views.alone().latencyMillis(0);
    double latency = igniter;
    double solo = igniterSolo;
    double soloDeviation = 0;
    MeasuredSolo measured = own.solo();
    if (measured != null) {
      solo = measured.surface().millis(batch, own.sharePercent());
      soloDeviation = measured.surface().relativeDeviation(batch, own.sharePercent());
      latency = combined(own, solo, igniter, views);
    }
    double model = modelDeviation(own, views);
    double deviation = Math.hypot(Math.hypot(model, soloDeviation), own.sourceDeviation());
    latency = Math.max(latency, solo);
    double slowdown = latency / solo;
    double ofSlowdown = Math.hypot(model, own.sourceDeviation());
    return new Answer.Effect(
        Interval.logNormal(slowdown, ofSlowdown).atLeast(1),
        Interval.logNormal(latency, deviation));
  }

  private static double modelDeviation(Placed own, Views views) {
    return own.usage().isEmpty() || views.other().isEmpty()
        ? IGNITER_DEVIATION
        : (2 * IGNITER_DEVIATION + GPU_LETS_DEVIATION) / 3;
  }

  /** Geometric mean of the available estimates. */
  private static double combined(Placed own, double solo, double igniter, Views views) {
    double second = solo * igniter / views.alone().latencyMillis(0);
    Optional<Usage> usage = own.usage();
    if (usage.isEmpty() || views.other().isEmpty()) {
      return Math.sqrt(igniter * second);
    }
    double third = solo * UtilizationFactor.RTX_2080_TI.of(usage.get(), views.other().get());
    return Math.cbrt(igniter * second * third);
  }

  private static String reason(GpuState.Status status) {
    return switch (status) {
      case VALID -> "valid";
      case TIME_NOT_POSITIVE -> "the profile gives no positive time at this batch and share";
      case FREQUENCY_NOT_POSITIVE -> "the power demand is beyond what the profile can describe";
      case SHARES_EXCEEDED -> "the shares add up to more than 100 %";
    };
  }

  private static Answer cannot(String reason) {
    return new Answer.Unavailable(NAME, reason);
  }
}

package dev.cotenant.interference;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Workloads of which some were never profiled: guesses from their graphs stand in, and the model
 * for what is then known answers. Its name in the answer follows {@code cold-start/}.
 */
public final class ColdStartModel implements InterferenceModel {
  /*
   * In partitions: iGniter's coefficients from a roofline (ColdStart), whose interval is that of a
   * guess. On a whole GPU: utilization as predicted and memory bandwidth from the same roofline, put
   * into the formula for pairs of training jobs. Of bandwidths measured on a V100 the guess is within
   * a factor of two in three of four cells, so the answer is made again with all guessed bandwidths
   * halved and doubled, and what that changes is joined with the formula's own bounds.
   */
  private static final String NAME = "cold-start";
  private static final double FACTOR = 2;
  private static final double FULL_PERCENT = 100;

  private final Supplier<DeviceCatalogue> catalogue;
  private final InterferenceModel partitions;
  private final TrainingColocationModel whole;

  /**
   * @param catalogue rates of devices, at present
   * @param partitions answers where there are MPS shares
   * @param whole answers where the whole GPU is shared in time
   */
  public ColdStartModel(
      Supplier<DeviceCatalogue> catalogue,
      InterferenceModel partitions,
      TrainingColocationModel whole) {
    this.catalogue = catalogue;
    this.partitions = partitions;
    this.whole = whole;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public OnWholeGpu onUtilizationAlone() {
    return new OnWholeGpu.Unavailable();
  }

  @Override
  public OnWholeGpu onGraphsKnown() {
    return new OnWholeGpu.PairwiseWithFallback(
        new GraphPairs(catalogue, TrainingColocationModel.shippedFormula()), whole.curve());
  }

  @Override
  public Answer answer(Colocation colocation) {
    Device device = catalogue.get().find(colocation.device()).orElse(null);
    if (device == null) {
      return cannot("device '" + colocation.device() + "' is not in the catalogue");
    }
    List<Colocation.Member> members = colocation.members();
    if (members.stream().noneMatch(m -> m.source() instanceof WorkloadProfileSource.FromGraph)) {
      return cannot("every workload is known otherwise");
    }
    return members.stream().anyMatch(member -> member.share() != null)
        ? named(partitions.answer(guessed(colocation, device)))
        : onWholeGpu(colocation, device);
  }

  private static Colocation guessed(Colocation colocation, Device device) {
    List<Colocation.Member> members = new ArrayList<>();
    for (Colocation.Member member : colocation.members()) {
      members.add(
          member.source() instanceof WorkloadProfileSource.FromGraph known
              ? new Colocation.Member(
                  member.name(), member.batch(), member.share(), guess(member, known, device))
              : member);
    }
    return new Colocation(colocation.device(), members);
  }

  private static WorkloadProfileSource guess(
      Colocation.Member member, WorkloadProfileSource.FromGraph known, Device device) {
    WorkloadProfile profile = profile(member, known, device);
    return new WorkloadProfileSource.Guessed(profile, ColdStart.solo(profile, List.of()).require());
  }

  private static WorkloadProfile profile(
      Colocation.Member member, WorkloadProfileSource.FromGraph known, Device device) {
    return ColdStart.profile(member.name(), known.work(), device, known.utilizationPercent());
  }

  private Answer onWholeGpu(Colocation colocation, Device device) {
    Answer likely = whole.answer(whole(colocation, device, percent -> percent));
    if (!(likely instanceof Answer.Estimated(String model, var effects, var gpu))) {
      return likely;
    }
    Answer less = whole.answer(whole(colocation, device, percent -> percent / FACTOR));
    Answer more =
        whole.answer(
            whole(colocation, device, percent -> Math.min(FULL_PERCENT, percent * FACTOR)));
    List<Answer.Effect> wider = new ArrayList<>();
    for (int i = 0; i < effects.size(); i++) {
      Answer.Effect effect = effects.get(i);
      Interval slowdown = effect.slowdown();
      for (Answer other : List.of(less, more)) {
        slowdown =
            other instanceof Answer.Estimated estimated
                ? joined(slowdown, estimated.effects().get(i).slowdown().mean())
                : slowdown;
      }
      Answer.Usage usage = usage(colocation.members().get(i), device);
      wider.add(new Answer.Effect(effect.name(), slowdown, effect.serving(), usage));
    }
    return new Answer.Estimated(NAME + "/" + model, wider, gpu);
  }

  /** With every guessed bandwidth changed alike. */
  private static Colocation whole(
      Colocation colocation, Device device, DoubleUnaryOperator bandwidth) {
    List<Colocation.Member> members = new ArrayList<>();
    for (Colocation.Member member : colocation.members()) {
      members.add(
          member.source() instanceof WorkloadProfileSource.FromGraph known
              ? new Colocation.Member(
                  member.name(),
                  member.batch(),
                  null,
                  new WorkloadProfileSource.Training(
                      known.utilizationPercent(),
                      bandwidth.applyAsDouble(bandwidthPercent(member, known, device))))
              : member);
    }
    return new Colocation(colocation.device(), members);
  }

  private static double bandwidthPercent(
      Colocation.Member member, WorkloadProfileSource.FromGraph known, Device device) {
    return ColdStart.bandwidthPercent(
        known.work(), member.batch(), device, known.utilizationPercent());
  }

  /** Errors of the formula and of what is put into it do not go together. */
  private static Interval joined(Interval own, double otherwise) {
    double change = otherwise - own.mean();
    return new Interval(
        own.mean(),
        Math.clamp(
            own.mean() - Math.hypot(own.mean() - own.lower(), Math.min(0, change)),
            Math.min(1, own.mean()),
            own.mean()),
        own.mean() + Math.hypot(own.upper() - own.mean(), Math.max(0, change)));
  }

  private static Answer.@Nullable Usage usage(Colocation.Member member, Device device) {
    if (!(member.source() instanceof WorkloadProfileSource.FromGraph known)) {
      return null;
    }
    WorkloadProfile.Demand demand = profile(member, known, device).demand();
    return new Answer.Usage(
        demand.powerIntercept(), demand.l2Intercept(), bandwidthPercent(member, known, device));
  }

  private static Answer named(Answer answer) {
    return answer instanceof Answer.Estimated(String model, var effects, var gpu)
        ? new Answer.Estimated(NAME + "/" + model, effects, gpu)
        : answer;
  }

  private static Answer cannot(String reason) {
    return new Answer.Unavailable(NAME, reason);
  }
}

package dev.cotenant.interference;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Partitions with unprofiled workloads: guesses from their graphs replace profiles, iGniter's
 * coefficients from a roofline ({@link ColdStart}), with the interval of a guess. Its name in the
 * answer follows {@code cold-start/}.
 */
public final class ColdStartModel implements InterferenceModel {
  private static final String NAME = "cold-start";

  private final Supplier<DeviceCatalogue> catalogue;
  private final InterferenceModel partitions;

  /**
   * @param catalogue rates of devices, at present
   * @param partitions answers where there are MPS shares
   */
  public ColdStartModel(Supplier<DeviceCatalogue> catalogue, InterferenceModel partitions) {
    this.catalogue = catalogue;
    this.partitions = partitions;
  }

  @Override
  public OnWholeGpu onWholeGpu() {
    return new OnWholeGpu.Unavailable();
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
    if (members.stream().allMatch(member -> member.share() == null)) {
      return cannot("the GPU is shared in time");
    }
    return named(partitions.answer(guessed(colocation, device)));
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

  private static Answer named(Answer answer) {
    return answer instanceof Answer.Estimated(String model, var effects)
        ? new Answer.Estimated(NAME + "/" + model, effects)
        : answer;
  }

  private static Answer cannot(String reason) {
    return new Answer.Unavailable(NAME, reason);
  }
}

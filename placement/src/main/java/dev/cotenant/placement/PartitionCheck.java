package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slowdown of profiled services beside each other in partitions of one GPU, by iGniter's model
 * [iGniter, section 3.1]: delay of scheduling, L2, and frequency at the power that all draw.
 */
public final class PartitionCheck {
  /** Of the shares of services, percent. */
  private static final double WHOLE_PERCENT = Share.WHOLE.percent();

  private PartitionCheck() {}

  /**
   * A service beside the others.
   *
   * @param slowdown of a batch of one or of its largest, whichever suffers more
   * @param l2Percent that it takes of the device's L2
   */
  record Effect(
      String name,
      ProfiledPartition partition,
      Slowdown limit,
      double slowdown,
      double l2Percent) {}

  private record Member(String name, ProfiledPartition partition, Slowdown limit) {}

  /**
   * Whether shares take the place of utilizations among workloads of one GPU: all of them are
   * profiled services in partitions, and the shares are within the limit.
   *
   * @param partitions of all workloads, null for one that was not profiled
   */
  public static boolean isPartitioned(
      Iterable<? extends @Nullable ServicePartition> partitions, SharingLimits limits) {
    double percent = 0;
    for (ServicePartition partition : partitions) {
      percent +=
          partition instanceof ProfiledPartition profiled ? profiled.share().percent() : Double.NaN;
    }
    return isWithin(percent, limits);
  }

  private static boolean isWithin(double sharePercent, SharingLimits limits) {
    return sharePercent <= Math.min(WHOLE_PERCENT, limits.summedUtilization().percent());
  }

  /**
   * The share of the GPU's compute that profiled services have together, percent; NaN where one of
   * the tenants is not one, or where there is none.
   */
  static double sharePercent(List<Tenant> tenants) {
    double percent = tenants.isEmpty() ? Double.NaN : 0;
    for (Tenant tenant : tenants) {
      percent +=
          tenant.partition() instanceof ProfiledPartition partition
              ? partition.share().percent()
              : Double.NaN;
    }
    return percent;
  }

  /** The share of a newcomer, percent; NaN where it is no profiled service. */
  static double sharePercent(Newcomer newcomer) {
    return newcomer.prediction().partition() instanceof ProfiledPartition partition
        ? partition.share().percent()
        : Double.NaN;
  }

  /**
   * Whether so much of the GPU's compute, of profiled services alone, is within the limit: where
   * everybody has a partition, shares take the place of utilizations. Not with NaN.
   */
  static boolean fits(double sharePercent, Newcomer newcomer) {
    return isWithin(sharePercent, newcomer.limits());
  }

  /**
   * Of the profiled services among the tenants and the newcomer, the newcomer last if it is one.
   * Empty with fewer than two, and where the model has no figure: for shares beyond the GPU, beyond
   * what was profiled, or with coefficients of several devices.
   */
  static List<Effect> effects(List<Tenant> tenants, Newcomer newcomer) {
    List<Member> members = members(tenants);
    if (newcomer.prediction().partition() instanceof ProfiledPartition own) {
      members.add(new Member(newcomer.name(), own, newcomer.limits().slowdown()));
    }
    return evaluated(members);
  }

  /** The same of tenants alone. */
  static List<Effect> effects(List<Tenant> tenants) {
    return evaluated(members(tenants));
  }

  private static List<Member> members(List<Tenant> tenants) {
    List<Member> members = new ArrayList<>();
    for (Tenant tenant : tenants) {
      if (tenant.partition() instanceof ProfiledPartition partition) {
        members.add(new Member(tenant.name(), partition, tenant.slowdownLimit()));
      }
    }
    return members;
  }

  private static List<Effect> evaluated(List<Member> members) {
    if (members.size() < 2) {
      return List.of();
    }
    DeviceProfile device = members.getFirst().partition.device();
    for (Member member : members) {
      if (!member.partition.isProfiled() || !member.partition.device().equals(device)) {
        return List.of();
      }
    }
    GpuState state = new GpuState(device, members.size());
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      int largest = member.partition.batch();
      int smallest = Math.min(largest, member.partition.profile().range().minBatch());
      double slowdown =
          Math.max(slowdown(state, members, i, smallest), slowdown(state, members, i, largest));
      if (Double.isNaN(slowdown)) {
        return List.of();
      }
      effects.add(
          new Effect(member.name, member.partition, member.limit, slowdown, state.l2Percent(i)));
    }
    return effects;
  }

  /** With this batch, beside all others at their largest; NaN without a figure. */
  private static double slowdown(GpuState state, List<Member> members, int index, int batch) {
    state.clear();
    place(state, members.get(index), batch);
    if (state.evaluate() != GpuState.Status.VALID) {
      return Double.NaN;
    }
    double alone = state.latencyMillis(0);
    state.clear();
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      place(state, member, i == index ? batch : member.partition.batch());
    }
    return state.evaluate() == GpuState.Status.VALID
        ? Math.max(1, state.latencyMillis(index) / alone)
        : Double.NaN;
  }

  private static void place(GpuState state, Member member, int batch) {
    ProfiledPartition partition = member.partition;
    state.placeProfiled(partition.profile(), batch, partition.share().percent());
  }
}

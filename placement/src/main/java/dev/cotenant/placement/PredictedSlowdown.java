package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.interference.Answer;
import dev.cotenant.interference.Colocation;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.PartitionModel;
import dev.cotenant.interference.ServerCopies;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.interference.WorkloadProfileSource;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The predicted slowdown of a newcomer and the tenants of a GPU that is shared without partitions.
 *
 * <p>Every workload counts with the upper bound of its utilization; unattributed usage counts as
 * one more workload.
 */
final class PredictedSlowdown {
  private static final String NEWCOMER = "newcomer";
  private static final String UNATTRIBUTED = "unattributed usage";
  private final InterferenceModel interference;
  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  PredictedSlowdown(InterferenceModel interference) {
    this.interference = interference;
  }

  /** The GPUs on which a slowdown limit certainly breaks. */
  SlowdownPrefilter prefilter(Prediction newcomer, Slowdown limit) {
    return new SlowdownPrefilter(interference, newcomer, limit);
  }

  /**
   * The slowdown of the workload that suffers most.
   *
   * @param basis what it rests on; null where the GPU is shared in time
   */
  record Worst(Slowdown slowdown, @Nullable SlowdownBasis basis) {}

  /** By the model, or where it has no estimate, by the curve over summed utilization. */
  Worst ofWorst(
      DeviceId device, List<Tenant> tenants, Utilization unattributedUsage, Prediction newcomer) {
    List<Colocation.Member> members = members(tenants);
    if (!unattributedUsage.equals(Utilization.IDLE)) {
      members.add(member(UNATTRIBUTED, null, unattributedUsage));
    }
    Utilization own = newcomer.utilization().upper();
    members.add(member(NEWCOMER, newcomer.run().orElse(null), own));
    SummedUtilization sum = ShareCheck.summed(tenants).plus(unattributedUsage).plus(own);
    Worst worst = ofWorst(device, members, sum);
    return unattributedUsage.equals(Utilization.IDLE)
        ? ofCopies(worst, tenants, newcomer.run().orElse(null), sum)
        : worst;
  }

  /**
   * Copies of one server take turns at worst, and do where the GPU is always busy; the model of
   * pairs was learned from trainings.
   */
  private static Worst ofCopies(
      Worst worst, List<Tenant> others, @Nullable GraphRun own, SummedUtilization sum) {
    boolean areCopies =
        own != null
            && !others.isEmpty()
            && own.settings().mode() == ExecutionMode.INFERENCE
            && others.stream().map(Tenant::run).allMatch(run -> run != null && own.isCopyOf(run));
    if (!areCopies) {
      return worst;
    }
    int copies = others.size() + 1;
    double atLeast = ServerCopies.slowdown(copies, sum.percent());
    double ratio = Math.clamp(worst.slowdown().ratio(), atLeast, copies);
    return ratio == worst.slowdown().ratio() ? worst : new Worst(Slowdown.ofRatio(ratio), null);
  }

  /**
   * What the workloads outside profiled partitions cause of a service in one, a factor: the
   * slowdown of the one that suffers most among them and the service.
   *
   * @param service name of a tenant or of the newcomer
   */
  double besideOthers(
      DeviceId device,
      String service,
      List<Tenant> tenants,
      Utilization unattributedUsage,
      Newcomer newcomer) {
    List<Tenant> counted = new ArrayList<>();
    for (Tenant tenant : tenants) {
      if (!(tenant.partition() instanceof ProfiledPartition) || tenant.name().equals(service)) {
        counted.add(tenant);
      }
    }
    Prediction own = newcomer.prediction();
    boolean isCounted =
        !(own.partition() instanceof ProfiledPartition) || newcomer.name().equals(service);
    if (isCounted) {
      return ofWorst(device, counted, unattributedUsage, own).slowdown().ratio();
    }
    List<Colocation.Member> members = members(counted);
    if (!unattributedUsage.equals(Utilization.IDLE)) {
      members.add(member(UNATTRIBUTED, null, unattributedUsage));
    }
    return members.size() < 2
        ? 1
        : ofWorst(device, members, ShareCheck.summed(counted).plus(unattributedUsage))
            .slowdown()
            .ratio();
  }

  /** Of tenants alone; of profiled services in partitions each against its own limit. */
  SharingDecider.Standing closest(DeviceId device, List<Tenant> tenants) {
    List<PartitionCheck.Effect> effects = PartitionCheck.effects(tenants);
    if (effects.size() == tenants.size()) {
      PartitionCheck.Effect worst =
          Collections.max(
              effects,
              Comparator.comparingDouble(effect -> effect.slowdown() / effect.limit().ratio()));
      return new SharingDecider.Standing(Slowdown.ofRatio(worst.slowdown()), worst.limit());
    }
    Slowdown strictest =
        tenants.stream().map(Tenant::slowdownLimit).min(Comparator.naturalOrder()).orElseThrow();
    SummedUtilization sum = ShareCheck.summed(tenants);
    Worst worst = ofWorst(device, members(tenants), sum);
    List<Tenant> others = tenants.subList(0, tenants.size() - 1);
    return new SharingDecider.Standing(
        ofCopies(worst, others, tenants.getLast().run(), sum).slowdown(), strictest);
  }

  private Worst ofWorst(
      DeviceId device, List<Colocation.Member> members, SummedUtilization utilization) {
    return switch (interference.answer(new Colocation(device.value(), members))) {
      case Answer.Estimated estimated ->
          new Worst(
              Slowdown.ofRatio(
                  estimated.effects().stream()
                      .mapToDouble(effect -> effect.slowdown().mean())
                      .max()
                      .orElseThrow()),
              null);
      case Answer.Unavailable _ -> new Worst(curve.slowdown(utilization), null);
    };
  }

  /** Of profiled services that share the GPU with nobody else. */
  static Worst ofWorst(List<PartitionCheck.Effect> effects) {
    double slowdown = 1;
    List<SlowdownBasis.Part> parts = new ArrayList<>();
    for (PartitionCheck.Effect effect : effects) {
      slowdown = Math.max(slowdown, effect.slowdown());
      parts.add(
          new SlowdownBasis.Part(effect.name(), effect.partition().share(), effect.l2Percent()));
    }
    Interval interval = Interval.logNormal(slowdown, PartitionModel.IGNITER_DEVIATION);
    return new Worst(
        Slowdown.ofRatio(slowdown),
        new SlowdownBasis("igniter", Slowdown.ofRatio(interval.upper()), parts));
  }

  private static List<Colocation.Member> members(List<Tenant> tenants) {
    List<Colocation.Member> members = new ArrayList<>();
    for (Tenant tenant : tenants) {
      members.add(member(tenant.name(), tenant.run(), tenant.utilization().upper()));
    }
    return members;
  }

  private static Colocation.Member member(
      String name, @Nullable GraphRun run, Utilization utilization) {
    return run == null
        ? new Colocation.Member(
            name, 1, null, new WorkloadProfileSource.Training(utilization.percent()))
        : new Colocation.Member(
            name,
            run.batchSize(),
            null,
            new WorkloadProfileSource.FromGraph(run.work(), utilization.percent()));
  }
}

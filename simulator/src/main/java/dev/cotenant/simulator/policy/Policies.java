package dev.cotenant.simulator.policy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.gate.Gate;
import dev.cotenant.simulator.policy.ProfileLearnGuard.AfterProfiling;
import dev.cotenant.simulator.policy.UtilizationSum.Fit;
import dev.cotenant.simulator.policy.UtilizationSum.Limits;
import dev.cotenant.simulator.world.Oracle;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.WorldSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** All policies by name. New policies are added to this list. */
public final class Policies {
  private static final List<Named> ALL =
      List.of(
          new Named("exclusive", "one job a GPU, by arrival", _ -> new Exclusive()),
          new Named(
              "gpushare",
              "requested memory adds up, least memory left first",
              setting -> new GpuShare(setting.tenants())),
          new Named(
              "proactive",
              "first fit decreasing on predicted utilization; memory is not looked at, a job that"
                  + " runs out of it starts again alone [UtilPred, section 6]",
              setting ->
                  new UtilizationSum(
                      Knowledge.utilizationPredictedOn(setting.device()),
                      limits(setting, Fit.FIRST, 0),
                      new QueueRule(QueueRule.Order.LARGEST_UTILIZATION_FIRST, null),
                      null)),
          new Named(
              "reactive",
              "a minute alone on a reserved GPU, then first fit on what was measured [UtilPred,"
                  + " section 6]",
              setting -> reactive(setting, 1)),
          new Named(
              "reactive-any",
              "as reactive, alone on any idle GPU, where the job stays until it fits elsewhere",
              setting -> reactive(setting, 0)),
          new Named(
              "utilization",
              "predicted utilization adds up to 100 % and memory fits, fullest first",
              setting ->
                  new UtilizationSum(
                      Knowledge.predictedOn(setting.device()),
                      limits(setting, Fit.FULLEST, 0),
                      QueueRule.FIFO_WITH_BACKFILL,
                      null)),
          new Named(
              "profile-each",
              "five minutes alone for each job, then as utilization on what was measured",
              setting -> profiled(setting, Knowledge.measured(Setting.PROFILING))),
          new Named(
              "profile-once",
              "five minutes alone for the first job of each configuration, then as utilization on"
                  + " what was measured",
              setting -> profiled(setting, Knowledge.remembered(Setting.PROFILING))),
          new Named(
              "profile-learn-guard",
              "five minutes alone once a configuration, then shares within a budget of risk learned"
                  + " from pairs; a newcomer that slows a job beyond the limit for five minutes"
                  + " moves",
              setting -> learned(setting, AfterProfiling.MOVES_IN)),
          new Named(
              "profile-learn-guard-stay",
              "as profile-learn-guard, and a job stays where it was measured, so that it is not"
                  + " restarted",
              setting -> learned(setting, AfterProfiling.STAYS)),
          new Named(
              "resaware",
              "grants, CBP and PP on used memory, largest request first [ResAware, section 5]",
              _ -> new ResAware(null)),
          new Named(
              "resaware-correlation",
              "as resaware, and no start beside a tenant whose memory correlates with it by 0.5 or"
                  + " more [Kube-Knots]",
              _ -> new ResAware(new SeriesCorrelation())),
          new Named(
              "memory-over-time",
              "the memory that jobs are still to take fits at every second to come, by earlier runs"
                  + " of their configurations",
              setting -> new MemoryOverTime(setting.device(), setting.tenants())),
          new Named(
              "decide",
              "the product's decision with its default limits",
              setting -> new Decided(setting.decider(), setting.decisionLimits())),
          new Named(
              "gate",
              "the product's gate controller: its queue, ledger and readings every 15 s, with its"
                  + " default policy",
              setting ->
                  new Gate(
                      setting.decider(), setting.decisionLimits(), setting.world().mayShare())),
          new Named(
              "oracle",
              "knows slowdowns and memory of all jobs that have come",
              setting -> new Oracle(setting.world(), setting.tenants())));

  private Policies() {}

  /**
   * A policy in the registry.
   *
   * @param name on the command line and in tables
   * @param rule in a sentence
   * @param maker makes a new one for a run
   */
  public record Named(String name, String rule, Function<Setting, Policy> maker) {}

  /**
   * What policies are made with.
   *
   * @param world the cluster; only the oracle reads its truth
   * @param decider the product's decision
   * @param limits of the product's decision
   * @param device for which jobs have predictions
   * @param tenants at most so many jobs on a GPU
   */
  public record Setting(
      WorldSettings world,
      SharingDecider decider,
      SharingLimits limits,
      DeviceId device,
      int tenants) {
    private static final Duration PROFILING = Duration.ofMinutes(5);
    private static final Duration REACTIVE_PROFILING = Duration.ofMinutes(1);

    /** With no more tenants than the other policies may have. */
    private SharingLimits decisionLimits() {
      return limits.withTenants(Math.min(tenants, limits.tenants()));
    }
  }

  /** All of them. */
  public static List<Named> all() {
    return ALL;
  }

  /**
   * A new policy.
   *
   * @throws InputException ({@code unknown-policy}) with the known names
   */
  public static Policy make(String name, Setting setting) {
    return named(name).maker().apply(setting);
  }

  /**
   * The policy of a name.
   *
   * @throws InputException ({@code unknown-policy}) with the known names
   */
  public static Named named(String name) {
    return ALL.stream()
        .filter(policy -> policy.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> InputException.unknown("policy", name, ALL.stream().map(Named::name).toList()));
  }

  private static Limits limits(Setting setting, Fit fit, int reserved) {
    return new Limits(Utilization.FULL.percent(), setting.tenants(), fit, reserved);
  }

  private static Policy reactive(Setting setting, int reserved) {
    return new UtilizationSum(
        Knowledge.measured(Setting.REACTIVE_PROFILING),
        limits(setting, Fit.FIRST, reserved),
        QueueRule.FIFO_WITH_BACKFILL,
        Setting.REACTIVE_PROFILING);
  }

  private static Policy learned(Setting setting, AfterProfiling afterProfiling) {
    return new ProfileLearnGuard(setting.limits().slowdown(), setting.tenants(), afterProfiling);
  }

  private static Policy profiled(Setting setting, Knowledge knowledge) {
    return new UtilizationSum(
        knowledge,
        limits(setting, Fit.FULLEST, 0),
        QueueRule.FIFO_WITH_BACKFILL,
        Setting.PROFILING);
  }
}

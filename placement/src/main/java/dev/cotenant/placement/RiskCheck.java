package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedEstimate.Explanation;
import dev.cotenant.interference.risk.VictimColocation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The risk of every workload on a GPU to be slowed beyond its limit, against its budget. */
final class RiskCheck {
  /*
   * Where a budget binds once speeds were measured, a victim that was never measured has no risk, and
   * aggressors without a measured pair do not count: of those the sum of utilizations alone
   * decides. A further aggressor never lowers a risk, so what exceeds a budget with one of the
   * tenants does so with all of them; RiskPrefilter rests on that.
   */
  private static final String UNATTRIBUTED = "unattributed usage";

  /** Jobs of that many configurations; a cluster with more makes some of them again. */
  private static final int MAX_JOBS = 20_000;

  private final RiskModels models;
  private final Map<JobKey, SharedJob> jobs = new ConcurrentHashMap<>();
  private final RiskKinds kinds = new RiskKinds(this);

  RiskCheck(RiskModels models) {
    this.models = models;
  }

  /** A workload on a GPU or on its way there. */
  record Member(String name, String namespace, SharedJob job, Slowdown limit, RiskLimit risk) {
    /** Whether it takes part in trials; one that takes no slowdown at all never does. */
    boolean takesPart() {
      return risk.exploration().areAllowed() && limit.compareTo(Slowdown.NONE) > 0;
    }
  }

  private record JobKey(GraphRun run, Device device, double percent) {}

  /**
   * Result of the risk check of a GPU.
   *
   * @param worst the one that comes closest to its budget, or is farthest beyond; null where no
   *     budget binds
   * @param isWithin whether all are within their budgets, or within the risk of a trial in a search
   *     for one
   */
  record Finding(@Nullable SlowdownRisk worst, boolean isWithin) {
    private static final Finding NONE = new Finding(null, true);
  }

  /** The risks of a newcomer and the tenants, against their budgets. */
  Finding find(
      GpuProduct product, List<Tenant> tenants, Utilization unattributed, Newcomer newcomer) {
    if (!mayBind(tenants, newcomer)) {
      return Finding.NONE;
    }
    List<Member> members = new ArrayList<>();
    members.add(member(product, newcomer));
    for (Tenant tenant : tenants) {
      members.add(member(product, tenant));
    }
    boolean mayTry = newcomer.isExploring() && members.stream().allMatch(Member::takesPart);
    if (!unattributed.equals(Utilization.IDLE)) {
      members.add(
          new Member(
              UNATTRIBUTED,
              "",
              GraphJob.unknown(UNATTRIBUTED, unattributed.percent()),
              Slowdown.NONE,
              RiskLimit.NONE));
    }
    SlowdownRisk worst = null;
    boolean isWithin = true;
    for (int i = 0; i < members.size(); i++) {
      List<Member> others = new ArrayList<>(members);
      Member victim = others.remove(i);
      Found found = found(product, victim, others);
      if (found != null) {
        isWithin &= !found.risk.isExceeded() || (mayTry && mayBeTried(found, victim));
        worst = worst == null || beyond(found.risk) > beyond(worst) ? found.risk : worst;
      }
    }
    return new Finding(worst, isWithin);
  }

  /** A trial teaches something, and is within what the victim takes. */
  private boolean mayBeTried(Found found, Member victim) {
    return found.risk.probability() <= victim.risk.mostInExploration()
        && !model(victim).isMeasured(found.colocation);
  }

  private record Found(SlowdownRisk risk, VictimColocation colocation) {}

  private static double beyond(SlowdownRisk risk) {
    return risk.probability() - risk.budget();
  }

  private boolean mayBind(List<Tenant> tenants, Newcomer newcomer) {
    if (mayBind(newcomer.limits().risk(), newcomer.namespace())) {
      return true;
    }
    for (Tenant tenant : tenants) {
      if (mayBind(tenant.risk(), tenant.namespace())) {
        return true;
      }
    }
    return false;
  }

  boolean mayBind(RiskLimit risk, String namespace) {
    return switch (risk.rule()) {
      case OFF -> false;
      case LEARNED -> models.of(namespace).rows() > 0;
      case ALWAYS -> true;
    };
  }

  /**
   * Quantile of the logarithm of the slowdown of a victim beside one aggressor, at the probability
   * of its budget or of a trial: a lower limit exceeds the budget, alone and so beside further
   * aggressors. Minus infinity if the budget does not bind. Minus infinity where the budget does
   * not bind.
   */
  float logSlowdownWithin(String device, Member victim, Member aggressor, boolean isExploring) {
    RiskModel model = model(victim);
    boolean binds =
        switch (victim.risk.rule()) {
          case OFF -> false;
          case LEARNED ->
              model.knowsVictim(device, victim.job) && model.knowsAggressor(device, aggressor.job);
          case ALWAYS -> true;
        };
    if (!binds) {
      return Float.NEGATIVE_INFINITY;
    }
    VictimColocation pair = new VictimColocation(device, victim.job, List.of(aggressor.job));
    double budget = isExploring ? victim.risk.mostInExploration() : victim.risk.budget();
    return (float) model.estimate(pair).logSlowdown(budget);
  }

  /** What knows the risks of a workload. */
  RiskModel model(Member victim) {
    return models.of(victim.namespace);
  }

  /** Whether budgets may bind on many GPUs. */
  boolean mayBind(Newcomer newcomer) {
    return models.areTrained() || newcomer.limits().risk().rule() == RiskLimit.Rule.ALWAYS;
  }

  RiskKinds kinds() {
    return kinds;
  }

  /** Identity of the current risk models; a new object after learning. */
  Object state() {
    return models.state();
  }

  Member member(GpuProduct product, Newcomer newcomer) {
    return new Member(
        newcomer.name(),
        newcomer.namespace(),
        job(
            product,
            newcomer.name(),
            newcomer.prediction().run().orElse(null),
            newcomer.prediction().utilization().mean()),
        newcomer.limits().slowdown(),
        newcomer.limits().risk());
  }

  Member member(GpuProduct product, Tenant tenant) {
    return new Member(
        tenant.name(),
        tenant.namespace(),
        job(product, tenant.name(), tenant.run(), tenant.utilization().mean()),
        tenant.slowdownLimit(),
        tenant.risk());
  }

  private SharedJob job(
      GpuProduct product, String name, @Nullable GraphRun run, Utilization utilization) {
    if (run == null || !(product instanceof Device device)) {
      return GraphJob.unknown(name, utilization.percent());
    }
    if (jobs.size() >= MAX_JOBS) {
      jobs.clear();
    }
    return jobs.computeIfAbsent(
        new JobKey(run.withoutMeasuredLoad(), device, utilization.percent()),
        key -> GraphJob.of(key.run, key.device, key.percent));
  }

  /** Null where the victim's budget does not bind. */
  private @Nullable Found found(GpuProduct product, Member victim, List<Member> others) {
    String device = product.id().value();
    RiskModel model = models.of(victim.namespace);
    boolean learned = victim.risk.rule() == RiskLimit.Rule.LEARNED;
    boolean binds = learned ? model.knowsVictim(device, victim.job) : mayBind(victim.risk, "");
    if (!binds) {
      return null;
    }
    List<Member> aggressors = new ArrayList<>();
    for (Member other : others) {
      if (!learned || model.knowsAggressor(device, other.job)) {
        aggressors.add(other);
      }
    }
    return aggressors.isEmpty() ? null : found(model, device, victim, aggressors);
  }

  private Found found(RiskModel model, String device, Member victim, List<Member> aggressors) {
    List<SharedJob> busiest =
        aggressors.stream()
            .map(Member::job)
            .sorted(Comparator.comparingDouble(SharedJob::utilization).reversed())
            .toList();
    int together = Math.min(busiest.size(), VictimColocation.MAX_AGGRESSORS);
    double limit = victim.limit.ratio();
    VictimColocation colocation =
        new VictimColocation(device, victim.job, busiest.subList(0, together));
    double probability = model.risk(colocation, limit);
    for (SharedJob other : busiest.subList(together, busiest.size())) {
      probability =
          Math.max(
              probability,
              model.risk(new VictimColocation(device, victim.job, List.of(other)), limit));
    }
    return new Found(
        new SlowdownRisk(
            victim.name,
            probability,
            victim.risk.budget(),
            victim.limit,
            cause(model.estimate(colocation).explanation(), aggressors),
            models.source(victim.namespace, device, victim.job)),
        colocation);
  }

  /** Names the neighbour that an effect belongs to, where it belongs to one. */
  private static String cause(Explanation explanation, List<Member> aggressors) {
    String label = explanation.effect().label();
    for (Member aggressor : aggressors) {
      if (!explanation.subject().isEmpty()
          && explanation.subject().endsWith(aggressor.job.configuration())) {
        return label + " (" + aggressor.name + ")";
      }
    }
    return label;
  }
}

package dev.cotenant.simulator.policy;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.Review;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Measures each configuration alone once, remembers how pairs got on, and watches: the first job of
 * a configuration runs alone for five minutes; jobs share while the risk of each to be slowed
 * beyond the limit is within a budget, and one in twenty on trial beyond it; when a job is slowed
 * beyond the limit five minutes after a newcomer came, the newcomer moves, and these jobs do not
 * meet again [sharing study, sections 2 and 3].
 *
 * <p>Risks are those of decisions, {@link RiskModel} from its stated prior on, with the first word
 * of a configuration as its model. Deviation from the study: its prior was fitted to pairs.
 */
final class ProfileLearnGuard implements Policy {
  private static final Duration PROFILING = Duration.ofMinutes(5);
  private static final Duration GUARD = Duration.ofMinutes(5);

  /** Risk that each tenant may have where all configurations recur. */
  private static final double BUDGET = 0.10;

  /**
   * The same with a configuration that came once, the first budget of [sharing study, section 3].
   */
  private static final double ONE_OFF_BUDGET = 0.30;

  /** The same on a trial: that of [sharing study, section 2], and of decisions. */
  private static final double TRIAL_BUDGET = RiskLimit.Exploration.NONE.mostRisk();

  /**
   * Maximum share of jobs in trials; more trials pack no more on Gavel's pairs (lucid-learning).
   */
  private static final double TRIALS = 0.05;

  /** Deviation of a speed measured for some minutes [sharing study, section 2]. */
  private static final double NOISE = 0.03;

  private final Knowledge knowledge = Knowledge.remembered(PROFILING);
  private final RiskModel memory = new RiskModel(RiskPrior.STATED);
  private final Map<JobView, Set<JobView>> apart = new HashMap<>();
  private final Set<JobView> recorded = new HashSet<>();
  private final Set<String> seen = new HashSet<>();
  private final Set<String> recurring = new HashSet<>();
  private final double limit;
  private final int tenants;
  private final AfterProfiling afterProfiling;
  private long placed;
  private long trials;

  /** Action after a job's solo measurement. */
  enum AfterProfiling {
    /** It stays and others may join. */
    STAYS,
    /** It may join other jobs, at the cost of a restart. */
    MOVES_IN
  }

  /**
   * @param limit limit of each job's slowdown
   * @param tenants at most so many jobs on a GPU
   */
  ProfileLearnGuard(Slowdown limit, int tenants, AfterProfiling afterProfiling) {
    this.limit = limit.ratio();
    this.tenants = Math.min(tenants, VictimColocation.MAX_AGGRESSORS + 1);
    this.afterProfiling = afterProfiling;
  }

  @Override
  public Placement place(JobView job, View view) {
    Optional<Knowledge.Usage> usage = knowledge.of(job);
    GpuView partner =
        usage.isEmpty() || job.outOfMemoryKills() > 0 ? null : partner(job, usage.get(), view);
    if (partner != null) {
      placed++;
      return guarded(partner);
    }
    if (view.idle().isEmpty()) {
      return Placement.waiting();
    }
    placed++;
    GpuView idle = view.idle().first();
    if (job.outOfMemoryKills() > 0) {
      return Placement.alone(idle);
    }
    return usage.isEmpty() ? Placement.profiled(idle, PROFILING) : Placement.on(idle);
  }

  private static Placement.Start guarded(GpuView gpu) {
    return new Placement.Start(gpu, Placement.Access.OPEN, GUARD);
  }

  /** Of the GPUs within the budget the fullest; on a trial the one of least risk. */
  private @Nullable GpuView partner(JobView job, Knowledge.Usage usage, View view) {
    GpuView fullest = null;
    GpuView safest = null;
    double most = -1;
    double least = TRIAL_BUDGET;
    for (int n = 1; n < tenants; n++) {
      for (GpuView gpu : view.openWith(n)) {
        List<SharedJob> members = view.mayJoin(job, gpu) ? members(job, usage, gpu) : List.of();
        double risk = members.isEmpty() ? 1 : risk(members, gpu);
        double sum = members.stream().mapToDouble(SharedJob::utilization).sum();
        if (risk <= budget(members) && sum > most) {
          fullest = gpu;
          most = sum;
        }
        if (risk <= least) {
          safest = gpu;
          least = risk;
        }
      }
    }
    if (fullest == null && safest != null && trials < TRIALS * placed) {
      trials++;
      return safest;
    }
    return fullest;
  }

  private double budget(List<SharedJob> members) {
    boolean recur = members.stream().allMatch(member -> recurring.contains(member.configuration()));
    return recur ? BUDGET : ONE_OFF_BUDGET;
  }

  /** The job and the tenants of a GPU; empty where memory or a tenant forbids it to join. */
  private List<SharedJob> members(JobView job, Knowledge.Usage usage, GpuView gpu) {
    MemorySize used = usage.memory();
    List<SharedJob> members = new ArrayList<>();
    members.add(member(job, usage));
    for (JobView tenant : gpu.tenants()) {
      Optional<Knowledge.Usage> other = knowledge.of(tenant);
      if (other.isEmpty() || areApart(job, tenant)) {
        return List.of();
      }
      used = used.plus(other.get().memory());
      members.add(member(tenant, other.get()));
    }
    return used.isAtMost(gpu.kind().capacity()) ? members : List.of();
  }

  /** Largest risk over all members. */
  private double risk(List<SharedJob> members, GpuView gpu) {
    double largest = 0;
    for (int i = 0; i < members.size(); i++) {
      List<SharedJob> others = new ArrayList<>(members);
      SharedJob own = others.remove(i);
      largest =
          Math.max(largest, memory.risk(new VictimColocation(device(gpu), own, others), limit));
    }
    return largest;
  }

  private static String device(GpuView gpu) {
    return gpu.kind().device().id().value();
  }

  /** Its model is the first word of its configuration. */
  private static SharedJob member(JobView job, Knowledge.Usage usage) {
    String configuration = job.submission().configuration();
    return SharedJob.ofUtilization(
        configuration, configuration.split(" ", 2)[0], usage.utilizationPercent());
  }

  @Override
  public Review review(JobView job, View view) {
    GpuView gpu = job.gpu().orElseThrow();
    if (gpu.tenants().size() > 1 && gpu.tenants().getLast().equals(job)) {
      return guard(job, gpu, view);
    }
    return gpu.isOpen()
        ? new Review.Stay(gpu.tenants().size() > 1 ? GUARD : null)
        : measured(job, view);
  }

  /** The job was alone for long enough. */
  private Review measured(JobView job, View view) {
    Optional<Knowledge.Usage> usage = knowledge.of(job);
    GpuView partner =
        usage.isEmpty() || afterProfiling == AfterProfiling.STAYS
            ? null
            : partner(job, usage.get(), view);
    return partner == null ? new Review.Stay(null) : new Review.Move(guarded(partner));
  }

  /** Review after the newcomer's first minutes. */
  private Review guard(JobView newcomer, GpuView gpu, View view) {
    if (gpu.tenants().size() == 2 && recorded.add(newcomer)) {
      remember(gpu, gpu.tenants().getFirst(), newcomer);
      remember(gpu, newcomer, gpu.tenants().getFirst());
    }
    boolean isHarmed =
        gpu.tenants().stream().anyMatch(job -> 1 > limit * job.measuredSpeed().orElse(1));
    if (!isHarmed) {
      return new Review.Stay(GUARD);
    }
    gpu.tenants().forEach(tenant -> keepApart(newcomer, tenant));
    recorded.remove(newcomer);
    Optional<Knowledge.Usage> usage = knowledge.of(newcomer);
    GpuView partner = usage.isEmpty() ? null : partner(newcomer, usage.get(), view);
    if (partner != null) {
      return new Review.Move(guarded(partner));
    }
    return view.idle().isEmpty()
        ? new Review.Leave()
        : new Review.Move(new Placement.Start(view.idle().first(), Placement.Access.OPEN, null));
  }

  private void remember(GpuView gpu, JobView own, JobView other) {
    Optional<Knowledge.Usage> usage = knowledge.of(own);
    Optional<Knowledge.Usage> otherUsage = knowledge.of(other);
    if (usage.isPresent() && otherUsage.isPresent()) {
      VictimColocation colocation =
          new VictimColocation(
              device(gpu), member(own, usage.get()), List.of(member(other, otherUsage.get())));
      memory.learn(new SpeedMeasurement(colocation, own.measuredSpeed().orElseThrow(), NOISE));
    }
  }

  private void keepApart(JobView one, JobView two) {
    if (!one.equals(two)) {
      apart.computeIfAbsent(one, _ -> new HashSet<>()).add(two);
      apart.computeIfAbsent(two, _ -> new HashSet<>()).add(one);
    }
  }

  private boolean areApart(JobView one, JobView two) {
    return apart.getOrDefault(one, Set.of()).contains(two);
  }

  @Override
  public void finished(JobView job) {
    recorded.remove(job);
    for (JobView other : Optional.ofNullable(apart.remove(job)).orElse(Set.of())) {
      Set<JobView> rest = apart.getOrDefault(other, new HashSet<>());
      rest.remove(job);
      if (rest.isEmpty()) {
        apart.remove(other);
      }
    }
  }

  @Override
  public void queued(JobView job) {
    String configuration = job.submission().configuration();
    boolean isBack = job.outOfMemoryKills() + job.moves() > 0;
    if (!isBack && !seen.add(configuration)) {
      recurring.add(configuration);
    }
  }

  /** Jobs that must keep apart from others are classes of their own. */
  @Override
  public Object schedulingClass(JobView job) {
    return apart.containsKey(job)
        ? job
        : new Alike(
            job.submission().configuration(),
            knowledge.of(job).isPresent(),
            job.outOfMemoryKills() == 0);
  }

  private record Alike(String configuration, boolean isKnown, boolean mayShare) {}
}

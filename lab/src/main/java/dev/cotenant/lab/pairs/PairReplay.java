package dev.cotenant.lab.pairs;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.lab.untimed.Replay;
import dev.cotenant.lab.untimed.SimulationRow;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Measured pairs of training jobs as arriving pods: what each policy's placements then did.
 *
 * <p>Pods are drawn one by one from the jobs that were measured in pairs, all as likely, and stay.
 * There are as many GPUs as are needed. A pod may join a pod that was measured beside it; no policy
 * places unmeasured pairs, or three jobs on one GPU. Broken limits are always the default ones,
 * whatever a policy's own.
 */
public final class PairReplay implements Replay {
  private static final int REPLAYS = 20;
  private static final int PODS = 300;
  private static final double LIMIT = SharingLimits.DEFAULT.slowdown().ratio();
  private static final int[] OVER_PROVISIONED_PERCENT = {0, 50, 100, 150, 200, 250};
  private final String trace;
  private final MeasuredPairs truth;
  private final int replays;
  private final List<PairPolicy> policies = new ArrayList<>();

  /** Replays these pairs under this name. */
  public PairReplay(String trace, MeasuredPairs truth, SharingDecider decider) {
    this(trace, truth, decider, REPLAYS);
  }

  /** So many times. */
  PairReplay(String trace, MeasuredPairs truth, SharingDecider decider, int replays) {
    this.trace = trace;
    this.truth = truth;
    this.replays = replays;
    MemorySize capacity = truth.device().memory();
    policies.add(Baselines.exclusive());
    for (int percent : OVER_PROVISIONED_PERCENT) {
      policies.add(Baselines.gpuShare(percent, capacity));
    }
    policies.add(Baselines.twoTenants());
    policies.addAll(Decisions.of(decider, truth));
    policies.add(Baselines.oracle(truth, LIMIT, capacity));
  }

  @Override
  public List<String> policies() {
    return policies.stream().map(PairPolicy::name).toList();
  }

  @Override
  public List<SimulationRow> run(Predicate<String> wanted, Consumer<String> progress) {
    Map<String, Total> totals = new LinkedHashMap<>();
    for (PairPolicy policy : policies) {
      if (!wanted.test(policy.name()) && !policy.name().equals(Baselines.ORACLE)) {
        continue;
      }
      progress.accept(policy.name());
      Total total = new Total();
      for (int seed = 0; seed < replays; seed++) {
        total.add(replay(policy, seed), truth.device().memory());
      }
      totals.put(policy.name(), total);
    }
    Total oracle = totals.getOrDefault(Baselines.ORACLE, new Total());
    List<SimulationRow> rows = new ArrayList<>();
    totals.forEach(
        (name, total) -> rows.add(new SimulationRow(trace, "pairs", name, total.figures(oracle))));
    return rows;
  }

  private PairCluster replay(PairPolicy policy, long seed) {
    Random random = new Random(seed);
    PairCluster cluster = new PairCluster(truth);
    for (int i = 0; i < PODS; i++) {
      policy.placing().place(truth.jobs().get(random.nextInt(truth.jobs().size())), cluster);
    }
    return cluster;
  }

  /** Over all replays. */
  private static final class Total {
    private long pods;
    private long gpus;
    private long shared;
    private long slowed;
    private long overfull;
    private long unharmed;

    void add(PairCluster cluster, MemorySize capacity) {
      pods += PODS;
      gpus += cluster.size();
      shared += cluster.shared();
      slowed += cluster.slowed(LIMIT);
      overfull += cluster.overfull(capacity);
      unharmed += cluster.unharmed(LIMIT, capacity);
    }

    double density() {
      return (double) pods / gpus;
    }

    SequencedMap<String, Double> figures(Total oracle) {
      SequencedMap<String, Double> figures = new LinkedHashMap<>();
      figures.put("pods", (double) pods);
      figures.put("gpus", (double) gpus);
      figures.put("jobs_per_gpu", density());
      figures.put("oracle_density_percent", 100.0 * density() / oracle.density());
      figures.put("shared_gpus", (double) shared);
      figures.put("broke_slowdown", (double) slowed);
      figures.put("broke_memory", (double) overfull);
      figures.put("harmed_pods_percent", 100.0 * (pods - unharmed) / pods);
      figures.put("unharmed_jobs_per_gpu", (double) unharmed / gpus);
      return figures;
    }
  }
}

package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceChoice;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.Comparator;
import java.util.List;

/**
 * iGniter and the baselines of its paper.
 *
 * @param name on the command line
 * @param rules parts in which the strategy differs
 * @param ties which of equal services is placed first
 */
public record IgniterPlanner(String name, Rules rules, Ties ties) implements ServicePlanner {
  /** Which of equal services is placed first. */
  enum Ties {
    INPUT_ORDER,
    NAME
  }

  /**
   * iGniter: every workload gets the batch and the least share that keep up with its rate within
   * half its objective, and goes where its neighbours have to be raised least [iGniter, algorithm
   * 1, algorithm 2 and theorem 1].
   *
   * <p>Workloads with equal lower bounds are placed in the order of the fleet, by a stable sort:
   * the published plans depend on it, so that the input order matters here.
   *
   * <p>Added to what the paper says:
   *
   * <ul>
   *   <li>Shares are counted in whole units of the device (r_unit), so that 100 % is reached
   *       exactly.
   *   <li>A workload whose lower bound is above 100 % is split into the fewest equal parts of its
   *       rate with lower bounds up to 100 %; they are placed like workloads, all or none.
   *   <li>Memory, where it is known, and the number of GPUs are limits too.
   *   <li>With several kinds of device, each is planned alone and the cheapest plan is taken, as in
   *       the paper; if no kind has a place for every workload, the plan with the fewest unplaced
   *       ones, then the cheapest, whose rest is planned on the other kinds.
   * </ul>
   *
   * <p>As published, and worth knowing: the increase that is minimised does not count the
   * newcomer's own lower bound; batches are not capped; a workload that opens a GPU gets its lower
   * bound even if its own power slows the GPU down. The guard against prediction errors, a shadow
   * process, is not planned.
   *
   * @apiNote least batch and share, on the GPU with the least increase of its tenants' shares |
   *     iGniter, algorithms 1 and 2 | no | ties by the order of the input
   */
  public static final IgniterPlanner IGNITER =
      new IgniterPlanner("igniter", LeastIncrease::new, Ties.INPUT_ORDER);

  /** Batches and shares that keep up with rates although nothing runs during uploads. */
  public static final IgniterPlanner UPLOADS_BETWEEN_BATCHES =
      new IgniterPlanner("igniter", new UploadsBetweenBatches(), Ties.INPUT_ORDER);

  /**
   * FFD+, a baseline of the iGniter paper [iGniter, section 5.1]: theorem 1's batch and least
   * share, the largest first, each on the first GPU that has so much left; neighbours do not
   * matter.
   *
   * <p>For the paper's twelve: 5 GPUs, as in its Fig. 14. The model predicts 9 of the twelve to
   * miss latency or rate; the paper measured 10, 99th percentiles that a mean model does not see.
   *
   * <p>Ties are broken by name. Splitting, memory and kinds of device are as in {@link #IGNITER}.
   *
   * @apiNote workloads by least share, descending, on the first GPU with capacity; ignores
   *     neighbours | iGniter, 5.1 | no | violates under interference
   */
  public static final IgniterPlanner FFD =
      new IgniterPlanner("ffd+", IgniterPlanner::firstFit, Ties.NAME);

  /**
   * FFD++, a baseline of the iGniter paper [iGniter, section 5.3]: as {@link #FFD}, but on the
   * first GPU on which algorithm 2 can raise everyone far enough, instead of the one with the least
   * raises.
   *
   * <p>Ties are broken by name. Splitting, memory and kinds of device are as in {@link #IGNITER}.
   *
   * @apiNote the same on the first GPU on which raised shares meet all objectives | iGniter, 5.3 |
   *     no |
   */
  public static final IgniterPlanner FFD_WITH_RAISING =
      new IgniterPlanner("ffd++", IgniterPlanner::firstFitWithRaising, Ties.NAME);

  /**
   * GSLICE+, a baseline of the iGniter paper [iGniter, sections 5.1 and 5.3]: iGniter places the
   * workloads; then each share and batch is tuned five times by measured latency and throughput,
   * with a threshold of 10 %, regardless of neighbours.
   *
   * <p>For the paper's twelve: 6 GPUs and 3 that miss latency, as many as in its Fig. 14, though
   * not the same ones. What differs, and why:
   *
   * <ul>
   *   <li>Measured means here the model's figure beside the neighbours at that moment; the paper's
   *       averages were below it (10.7 ms against 12.3 ms for SSD of App1), so that other workloads
   *       seemed to have spare share.
   *   <li>The paper gives neither where tuning starts nor its step: here, everyone's least share
   *       alone, and a tenth of a GPU.
   *   <li>Its shares may add up to more than 100 %, and contend; a plan's may not, so that here a
   *       workload gets the remaining share.
   * </ul>
   *
   * <p>Places are {@link #IGNITER}'s, with its ties by input order, splitting, memory and kinds of
   * device.
   *
   * @apiNote `igniter`'s placement, then five rounds of tuning each workload alone | iGniter, 5.1,
   *     5.3 | no | violates; ties as `igniter`
   */
  public static final IgniterPlanner GSLICE =
      new IgniterPlanner("gslice+", new SelfTuning(), Ties.INPUT_ORDER);

  /**
   * gpu-lets+, a baseline of the iGniter paper [iGniter, sections 5.1 and 5.3]: each workload gets
   * the partition of 20, 40, 50, 60 or 80 % with the highest rate for its size, and the smallest
   * batch that sustains its rate alone; in order of decreasing rate, each goes to the GPU with the
   * least sufficient free share, at most two on a GPU.
   *
   * <p>For the paper's twelve: 8 GPUs and 3 that miss latency or rate, as many as in its Fig. 14;
   * SSD of App3 and VGG-19 of App2 are among them there and here, the third is VGG-19 of App1 there
   * and ResNet-50 of App2 here. What differs, and why:
   *
   * <ul>
   *   <li>The paper measured the maximum rate of a partition; here it comes from the model, whose
   *       curves hardly bend: so partitions within 1 % of the best count as equally good and the
   *       smallest of them is taken. With 0, 2, 3 and 5 % it would be 9, 8, 7 and 6 GPUs and 3, 5,
   *       5 and 6 that miss.
   *   <li>A newcomer is let in beside another only if its own latency there keeps to half its
   *       objective, as gpu-lets checks it; the model replaces gpu-lets' linear factor, which needs
   *       memory bandwidths that profiles do not hold. The other's latency and both throughputs are
   *       not looked at, as published.
   *   <li>What 80 % does not serve gets 80 % and misses its rate, as published; only where a batch
   *       of one is late there, a whole GPU.
   * </ul>
   *
   * <p>Ties are broken by name. Rates beyond a whole GPU are split, and memory and kinds of device
   * are dealt with, as in {@link #IGNITER}.
   *
   * @apiNote the partition with the largest rate for its size, two at most on a GPU | iGniter, 5.1,
   *     5.3 | no | checks the new workload's latency only
   */
  public static final IgniterPlanner GPULETS =
      new IgniterPlanner("gpulets+", new EfficientPartitions(), Ties.NAME);

  @Override
  public FleetPlan plan(Fleet fleet) {
    return DeviceChoice.plan(
        name, fleet, (type, services) -> TypePlanning.plan(type, ordered(services), rules));
  }

  private List<Service> ordered(List<Service> services) {
    return switch (ties) {
      case INPUT_ORDER -> services;
      case NAME -> services.stream().sorted(Comparator.comparing(Service::name)).toList();
    };
  }

  private static Placer firstFit(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    return new FirstFit(
        gpus,
        needs,
        (gpu, need) -> {
          gpus.change(gpu).add(need, need.lowerUnits());
          return true;
        });
  }

  private static Placer firstFitWithRaising(
      DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    ShareRaising raising = new ShareRaising(device);
    return new FirstFit(
        gpus,
        needs,
        (gpu, need) -> {
          int raise = raising.raise(gpus.get(gpu), need, ShareRaising.NEVER);
          if (raise < ShareRaising.NEVER) {
            raising.apply(gpus.change(gpu));
          }
          return raise < ShareRaising.NEVER;
        });
  }
}

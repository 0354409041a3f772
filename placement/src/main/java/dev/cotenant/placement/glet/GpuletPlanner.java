package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceChoice;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.TypePlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The strategies that the gpu-lets paper compares. The papers plan one kind of GPU; several kinds
 * are planned in sequence ({@link DeviceChoice}). The order of services does not matter.
 *
 * @param name on the command line
 * @param scheduler plans one kind of GPU
 */
public record GpuletPlanner(String name, GpuletScheduler scheduler) implements ServicePlanner {
  /**
   * Elastic partitioning with interference, "gpulet+int" [gpu-lets, algorithm 1]: every GPU whole
   * or in two gpu-lets of 20/80, 40/60 or 50/50 %, services in the share at the knee of what they
   * gain, several in one gpu-let where they can take turns.
   *
   * <p>Deviations from the paper:
   *
   * <ul>
   *   <li>a batch must take half the objective, or a cycle and the batch the whole of it, not the
   *       batch alone: a request waits before it runs. So does the authors' code, and {@link
   *       dev.cotenant.placement.fleet.GpuEvaluation};
   *   <li>the interference factor is multiplied, not added, and both neighbours must still meet
   *       their limits; the batch is the largest under the factor, as the largest without it would
   *       leave no slack;
   *   <li>services in turns get the least batches that keep up, which is the shortest cycle;
   *   <li>the rate assigned to a gpu-let, which is not printed: all of the remaining rate if that
   *       is feasible, else the rate that it serves beside the fleet's worst possible neighbour;
   *   <li>where no free gpu-let is large enough, the largest that is left is taken, then as much is
   *       merged anywhere as goes in, as in the authors' code; a service that cannot be served in
   *       parts of its knee is tried again in parts of p_req, and one that cannot be served in full
   *       is left out.
   * </ul>
   *
   * L2 utilizations are those of profiles, and memory bandwidth counts as used as much as L2; the
   * factor is the one that the authors published, of an RTX 2080 Ti. Ties are broken by name; GPUs
   * without enough memory are skipped.
   *
   * @apiNote GPUs whole or in two, shares at the knee, services in turns, with interference |
   *     gpu-lets, algorithm 1 | no | time grows with the square of the fleet
   */
  public static final GpuletPlanner GPULETS =
      new GpuletPlanner(
          "gpulets",
          ElasticPartitioning.gpulets(Interference.linear(UtilizationFactor.RTX_2080_TI)));

  /**
   * Elastic partitioning that does not notice neighbours, "gpulet" [gpu-lets, section 6.1].
   *
   * <p>As {@link #GPULETS} with every factor 1: its plans may miss objectives where gpu-lets share
   * a GPU.
   *
   * @apiNote the same, ignoring neighbours | gpu-lets, 6.1 | no | violates; time as `gpulets`
   */
  public static final GpuletPlanner GPULETS_WITHOUT_INTERFERENCE =
      new GpuletPlanner("gpulets-nointerference", ElasticPartitioning.gpulets(Interference.NONE));

  /**
   * Guided self-tuning, GSLICE as the gpu-lets paper compares with it [gpu-lets, section 6.1]:
   * every service alone in partitions, each grown until the rate is served within the objective,
   * with the profiled latencies that GSLICE itself would have to measure.
   *
   * <p>Services take no turns and neighbours are not noticed. A service that a whole GPU cannot
   * serve fills whole GPUs and then the least partition that serves what is left. Deviations: the
   * paper describes it in one paragraph; two partitions a GPU of the sizes of gpu-lets and the best
   * fit of its algorithm 1 are taken from the authors' code, and where no free partition is large
   * enough the largest that is left is filled.
   *
   * @apiNote each service alone in partitions, grown until the rate is served | gpu-lets, 6.1 | no
   *     | ignores neighbours
   */
  public static final GpuletPlanner SELF_TUNING =
      new GpuletPlanner("self-tuning", ElasticPartitioning.selfTuning());

  /**
   * Squishy bin packing, Nexus' scheduler and the baseline of gpu-lets: whole GPUs, shared in time
   * only [Nexus, section 6.1; gpu-lets, sections 2.2 and 6.1].
   *
   * <p>A service fills whole GPUs with the largest batch of which two fit into its objective; what
   * is left of its rate runs in duty cycles, the largest part of a GPU first, together with others
   * where the shorter cycle still suits all. Deviations: a service that arrives too seldom to fill
   * any batch in time is given the cycle that its objective leaves, since Nexus' text gives none;
   * batches are at most 32; a GPU takes no more services than its memory holds; a service that is
   * only partly placed is left out, and tried once more at the end. Ties are broken by name.
   *
   * @apiNote whole GPUs, shared in time by duty cycles | Nexus, 6.1 | no | batches up to 32
   */
  public static final GpuletPlanner SQUISHY_BIN_PACKING =
      new GpuletPlanner("sbp", new DutyCycles());

  /**
   * The ideal scheduler [gpu-lets, section 6.2]: every way to split GPUs into gpu-lets and to
   * assign services to them, with interference, on the fewest GPUs; of services that do not all
   * fit, the most.
   *
   * <p>For at most six services and four GPUs of a kind in use; beyond, planning throws an input
   * error ({@code ideal-too-large}). In a gpu-let a service takes its whole remaining rate, or as
   * much as fits beside the other turns; the paper does not define other divisions of a rate, which
   * are not tried. The results of the other strategies are tried first, so that no other strategy
   * is better.
   *
   * @apiNote every split and assignment, with interference | gpu-lets, 6.2 | no | six workloads,
   *     four GPUs of a kind; refuses more
   */
  public static final GpuletPlanner IDEAL =
      new GpuletPlanner(
          "ideal", new ExhaustiveSearch(Interference.linear(UtilizationFactor.RTX_2080_TI)));

  @Override
  public FleetPlan plan(Fleet fleet) {
    return DeviceChoice.plan(name, fleet, this::plan);
  }

  private TypePlan plan(DeviceType type, List<Service> services) {
    Map<String, PlanReason> refused = new TreeMap<>();
    List<Tenant> able = new ArrayList<>();
    services.stream()
        .sorted(Comparator.comparing(Service::name))
        .forEach(service -> {
          Optional<Tenant> tenant = tenant(type, service);
          Optional<PlanReason> reason = beforehand(type, service, tenant);
          reason.ifPresent(why -> refused.put(service.name(), why));
          tenant.filter(t -> reason.isEmpty()).ifPresent(able::add);
        });
    PoolPlan pool = scheduler.plan(GpuPool.of(type), able);
    for (Tenant tenant : pool.left()) {
      refused.put(tenant.name(), afterwards(type, tenant, pool));
    }
    return new TypePlan(type, pool.planned(type.id()), refused);
  }

  private static Optional<Tenant> tenant(DeviceType type, Service service) {
    DeviceProfile device = type.profile();
    WorkloadProfile profile = service.profiles().get(type.id());
    return device == null || profile == null
        ? Optional.empty()
        : Optional.of(new Tenant(service, Tenant.Known.of(profile, device)));
  }

  private static Optional<PlanReason> beforehand(
      DeviceType type, Service service, Optional<Tenant> found) {
    if (found.isEmpty()) {
      return Optional.of(new PlanReason.NotProfiled(type.id()));
    }
    Tenant tenant = found.get();
    if (tenant.memory().compareTo(type.memory()) > 0) {
      return Optional.of(
          new PlanReason.MemoryBeyondDevice(type.id(), tenant.memory(), type.memory()));
    }
    if (tenant.largestBatch(Size.WHOLE) == 0) {
      return Optional.of(
          new PlanReason.ObjectiveUnreachable(
              type.id(), tenant.latencyMillis(1, Size.WHOLE), service.sloMillis() / 2));
    }
    return Optional.empty();
  }

  private static PlanReason afterwards(DeviceType type, Tenant tenant, PoolPlan poolPlan) {
    return poolPlan.layouts().size() >= type.maxCount()
        ? new PlanReason.CountLimit(type.id(), type.maxCount())
        : new PlanReason.RateUnreachable(
            type.id(), tenant.mostPerSecond(Size.WHOLE), tenant.requestsPerSecond());
  }
}

package dev.cotenant.lab.plans;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ServedWorkload;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;

/**
 * Random mixes of the profiled models on V100s whose services come one by one, beside a plan of all
 * at once; both are judged by the request simulation with Poisson arrivals.
 *
 * <p>A mix has 4 to 24 services, each like one of the twelve of [iGniter, Table 3] with an
 * objective of 1, 1.25, 1.5 or 2 times and a rate of 0.5, 0.75 or 1 times its own.
 */
public final class ServiceMixes {
  private static final int MIN = 4;
  private static final int MAX = 24;
  private static final double[] OBJECTIVES = {1, 1.25, 1.5, 2};
  private static final double[] RATES = {0.5, 0.75, 1};

  private final SharingLimits limits;
  private final ServicePlanner planner;
  private final int plannedEvery;

  /**
   * Mixes under a policy.
   *
   * @param limits within which services share
   * @param planner of all services at once
   * @param plannedEvery of how many mixes it plans the last, at least 1
   */
  public ServiceMixes(SharingLimits limits, ServicePlanner planner, int plannedEvery) {
    this.limits = limits;
    this.planner = planner;
    this.plannedEvery = plannedEvery;
  }

  /**
   * Sums over mixes.
   *
   * @param mixes how many
   * @param services in them
   * @param admitted that got a place
   * @param met of these, 99 of 100 requests within the objective
   * @param gpus used
   */
  public record Figures(int mixes, int services, int admitted, int met, int gpus) {
    private static final Figures NONE = new Figures(0, 0, 0, 0, 0);

    private Figures plus(Fleet fleet, FleetPlan plan, int metOfIt) {
      int all = fleet.services().size();
      return new Figures(
          mixes + 1,
          services + all,
          admitted + all - plan.unplaced().size(),
          met + metOfIt,
          gpus + plan.gpus().size());
    }
  }

  /**
   * What became of them.
   *
   * @param decided every mix, one by one
   * @param plannedMixes mixes that were planned as well, decided one by one
   * @param planned the same, planned at once
   */
  public record Outcome(Figures decided, Figures plannedMixes, Figures planned) {}

  /**
   * So many mixes.
   *
   * @param seed of mixes and arrivals
   * @param progress takes the number of mixes so far
   */
  public Outcome of(int mixes, long seed, IntConsumer progress) {
    Figures all = Figures.NONE;
    Figures some = Figures.NONE;
    Figures atOnce = Figures.NONE;
    Random random = new Random(seed);
    DecidedServices arriving =
        new DecidedServices(
            new SharingDecider(FallbackInterferenceModel.builtIn()),
            limits,
            new DeviceId(IgniterFleets.V100));
    for (int i = 0; i < mixes; i++) {
      progress.accept(i);
      Fleet fleet = mix(random);
      RequestSimulation simulation =
          new RequestSimulation(
              fleet, RequestSimulation.Settings.of(Arrivals.POISSON, random.nextLong()));
      arriving.clear();
      DeviceType type = fleet.devices().getFirst();
      fleet.services().forEach(service -> arriving.admit(service, type));
      FleetPlan plan = arriving.plan();
      int met = simulation.met(plan);
      all = all.plus(fleet, plan, met);
      if ((i + 1) % plannedEvery == 0) {
        some = some.plus(fleet, plan, met);
        FleetPlan planned = planner.plan(fleet);
        atOnce = atOnce.plus(fleet, planned, simulation.met(planned));
      }
    }
    return new Outcome(all, some, atOnce);
  }

  private static Fleet mix(Random random) {
    List<ServedWorkload> twelve = ProfileBook.twelveWorkloads().served();
    List<ServedWorkload> served = new ArrayList<>();
    int size = random.nextInt(MIN, MAX + 1);
    for (int i = 0; i < size; i++) {
      ServedWorkload like = twelve.get(random.nextInt(twelve.size()));
      served.add(
          new ServedWorkload(
              "w" + i,
              like.profile(),
              like.sloMillis() * OBJECTIVES[random.nextInt(OBJECTIVES.length)],
              like.requestsPerSecond() * RATES[random.nextInt(RATES.length)]));
    }
    return IgniterFleets.of(served).with(Arrivals.POISSON);
  }
}

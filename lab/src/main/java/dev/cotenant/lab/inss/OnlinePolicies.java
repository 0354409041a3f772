package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.Replanning;
import dev.cotenant.lab.requests.Replanning.Margin;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Control;
import dev.cotenant.lab.requests.ServingSettings.Late;
import dev.cotenant.lab.serving.IgniterPlans;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.glet.GpuletPlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.inss.FilledGpus;
import dev.cotenant.placement.inss.PlacementPolicy;
import dev.cotenant.predictor.plugin.NetworkLoader.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** What keeps a fleet right while rates change, by name. */
final class OnlinePolicies {
  static final String INSS = "inss";
  static final String BDA = "bda alone";
  static final String GPULETS = "gpulets";
  static final String GSLICE = "gslice";
  static final String IGNITER = "igniter";
  static final String GUARDED = "igniter, guard";
  static final String FILLED = "filled, few moves";
  static final String BEST = "best from scratch";
  static final String WARM = "best, warm start";
  static final String CONTROLLER = "controller";

  /** gpu-lets and GSLICE wait for their batch half the objective [InSS, section 6.3]. */
  static final Batching HALF = new Batching(0.5, Late.DROPPED);

  /**
   * What our own planners plan for: the rate and two periods of its rise, and three tenths more.
   */
  static final Margin AHEAD = new Margin(0.3, 2);

  /** Of all rates: a move costs more than a tenth that is late for a while. */
  private static final int MIN_TENTHS = 9;

  private static final int PERIOD_SECONDS = 20;

  /** Not printed: rates counted by the second, a decision in 20 s, 10 to 15 s of reorganisation. */
  static final Control PERIODS = control(PERIOD_SECONDS);

  /** A guard looks every second. */
  private static final Control SECONDS = control(1);

  private final InssServer server;

  private OnlinePolicies(InssServer server) {
    this.server = server;
  }

  private static Control control(int seconds) {
    return new Control(
        Duration.ofSeconds(1),
        0.3,
        Duration.ofSeconds(seconds),
        Duration.ofSeconds(10),
        Duration.ofSeconds(15));
  }

  /** Makes the policy of a run. */
  @FunctionalInterface
  interface Maker {
    /** A new one. */
    ServingPolicy of(long seed);
  }

  /**
   * A policy.
   *
   * @param control when it is called
   * @param batching how requests wait for their batch
   * @param maker makes it
   */
  record Online(Control control, Batching batching, Maker maker) {}

  /** All of them; InSS's by turns with one of its trained networks. */
  static SequencedMap<String, Online> all(InssServer server) {
    return new OnlinePolicies(server).all();
  }

  private SequencedMap<String, Online> all() {
    SequencedMap<String, Online> all = new LinkedHashMap<>();
    all.put(INSS, atOnce(inss(server)));
    all.put(BDA, atOnce(_ -> batchesAlone()));
    all.put(GPULETS, replanned(HALF, new LargestBatches(IgniterPlanner.GPULETS)));
    all.put(GSLICE, replanned(HALF, GpuletPlanner.SELF_TUNING));
    all.put(IGNITER, replanned(Batching.WHAT_WAITS, IgniterPlanner.IGNITER));
    all.put(
        GUARDED,
        new Online(
            SECONDS,
            Batching.WHAT_WAITS,
            _ ->
                new GuardedPlans(
                    server::fleet, IgniterPlanner.IGNITER, Margin.NONE.targets(), PERIOD_SECONDS)));
    all.put(FILLED, atOnce(filled(server)));
    all.put(BEST, atOnce(_ -> replanning(IgniterPlans.PLANNER, AHEAD)));
    all.put(WARM, atOnce(_ -> new WarmPlans(server::fleet, AHEAD.targets())));
    all.put(CONTROLLER, atOnce(_ -> controlled(server)));
    return all;
  }

  /** InSS with the network of a run's turn. */
  static Maker inss(InssServer server) {
    List<Network> trained = new ArrayList<>();
    for (int seed = 1; seed <= LearnedPlacement.TRAINED; seed++) {
      trained.add(LearnedPlacement.trained(seed));
    }
    return seed -> {
      Network network = trained.get((int) (seed % trained.size()));
      return new InssOnline(
          server::fleet,
          seen -> new LearnedPlacement(server, network, seen),
          Margin.NONE.targets(),
          InssOnline.TENTHS);
    };
  }

  /**
   * Ours for given GPUs: shares that fill them in proportion to loads, and batches by BDA as long
   * as there are some for nine tenths of all rates.
   */
  static Maker filled(InssServer server) {
    ServicePlanner filling = new FilledGpus();
    return _ ->
        new InssOnline(server::fleet, _ -> filling::plan, Margin.NONE.targets(), MIN_TENTHS);
  }

  /** The product's control loop, with the middle of the range as the stated rate. */
  static ServingPolicy controlled(InssServer server) {
    Map<String, Double> stated = new HashMap<>();
    double middle = (InssEnvironment.LOW + InssEnvironment.HIGH) / 2;
    server.models().forEach(model -> stated.put(model.name(), middle * server.wholeRate(model)));
    return new ControlledFleet(server.fleet(stated).with(Arrivals.POISSON));
  }

  private static Online atOnce(Maker maker) {
    return new Online(PERIODS, Batching.WHAT_WAITS, maker);
  }

  private Online replanned(Batching batching, ServicePlanner planner) {
    return new Online(PERIODS, batching, _ -> replanning(planner, Margin.NONE));
  }

  private ServingPolicy replanning(ServicePlanner planner, Margin margin) {
    return new Replanning(new PartOfRates(server::fleet, planner), margin.targets());
  }

  private ServingPolicy batchesAlone() {
    PlacementPolicy first = firstFilling();
    return new InssOnline(server::fleet, _ -> first, Margin.NONE.targets(), InssOnline.TENTHS);
  }

  /** The partitions that fill the GPUs for the first rates, whatever comes. */
  private static PlacementPolicy firstFilling() {
    List<FixedShare> first = new ArrayList<>();
    return fleet -> {
      if (first.isEmpty()) {
        first.addAll(BatchesByBda.shares(fleet, new FilledGpus().plan(fleet)));
      }
      return PlacementPolicy.given(fleet, first);
    };
  }
}

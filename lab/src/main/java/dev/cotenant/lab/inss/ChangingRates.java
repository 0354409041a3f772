package dev.cotenant.lab.inss;

import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.figure.WatchedPreset;
import dev.cotenant.lab.inss.InssServer.Model;
import dev.cotenant.lab.inss.OnlinePolicies.Online;
import dev.cotenant.lab.requests.ModelDurations;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingSettings;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingSimulation;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.simulator.event.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What keeps a fleet right while rates change: InSS's six models on its four GPUs, with steps and
 * cold starts, ramps, a day, and recorded loads; partitions take 10 to 15 s to be made, and the
 * times of services differ from the model by an injected error.
 */
public final class ChangingRates implements WatchedPreset {
  public static final Card CARD =
      new Card(
          "changing-rates",
          "Violations, moves and GPUs of fleets that are kept right while rates change",
          "policies of gpu-lets, GSLICE, iGniter and InSS, and our own; no figure is published",
          20);

  private static final String READING =
      "not in a paper; the same requests and errors for every policy. An error is that of the"
          + " logarithm of each service's times";
  private static final int RECORDED_SAMPLES = 24;

  private final List<List<Double>> loads;
  private final Duration time;

  /**
   * @param loads recorded duty cycles of pods, one after the other; empty where there are none
   */
  public ChangingRates(List<List<Double>> loads) {
    this(loads, Duration.ofSeconds((long) RateShape.SECONDS));
  }

  ChangingRates(List<List<Double>> loads, Duration time) {
    this.loads = loads.stream().filter(load -> load.size() >= RECORDED_SAMPLES).toList();
    this.time = time;
  }

  /** The rate of one service in one run. */
  @FunctionalInterface
  private interface Curves {
    RateCurve of(Draws draws, double whole, int service);
  }

  @Override
  public List<Cell> run(int seeds, Watch watch) {
    List<Cell> cells = new ArrayList<>();
    for (RateShape shape : RateShape.values()) {
      cells.addAll(table(shape + ", error 5 %", 0.05, shape::curve, seeds, watch));
    }
    if (!loads.isEmpty()) {
      cells.addAll(table("recorded, error 5 %", 0.05, this::recorded, seeds, watch));
    }
    cells.addAll(table("ramps, error 15 %", 0.15, RateShape.RAMPS::curve, seeds, watch));
    return cells;
  }

  private RateCurve recorded(Draws draws, double whole, int service) {
    List<Double> load = loads.get(draws.index(loads.size()));
    int from = draws.index(load.size() - RECORDED_SAMPLES + 1);
    return RateShape.recorded(load.subList(from, from + RECORDED_SAMPLES), whole);
  }

  private List<Cell> table(String table, double error, Curves curves, int seeds, Watch watch) {
    Sheet<ServingTotals> sheet = new Sheet<>(table);
    InssServer server = InssServer.ofSix();
    OnlinePolicies.all(server)
        .forEach((name, policy) -> {
          watch.step(table + ": " + name);
          for (int seed = 0; seed < seeds; seed++) {
            ServingTotals totals = run(server, policy, streams(server, curves, seed), error, seed);
            watch.served(table, name, totals);
            sheet.add(name, totals);
          }
        });
    addFigures(sheet);
    return sheet.cells();
  }

  private ServingTotals run(
      InssServer server, Online policy, List<RequestStream> streams, double error, long seed) {
    Map<String, Double> ones = new HashMap<>();
    server.models().forEach(model -> ones.put(model.name(), 1.0));
    Fleet known = server.fleet(ones);
    ServingSettings settings =
        new ServingSettings(
            server.gpus(),
            new ModelDurations(known, error, seed),
            policy.batching(),
            policy.control(),
            new Traffic(Arrivals.POISSON, time, seed));
    return ServingSimulation.run(settings, streams, policy.maker().of(seed));
  }

  private static List<RequestStream> streams(InssServer server, Curves curves, long seed) {
    Draws draws = new Draws(seed);
    List<RequestStream> streams = new ArrayList<>();
    for (int i = 0; i < server.models().size(); i++) {
      Model model = server.models().get(i);
      RateCurve curve = curves.of(draws, server.wholeRate(model), i);
      streams.add(RequestStream.of(model.name(), model.sloMillis(), curve));
    }
    return streams;
  }

  private static void addFigures(Sheet<ServingTotals> sheet) {
    Published reading = Published.none(READING);
    sheet.figure("violation_percent", ChangingRates::violationPercent, _ -> reading);
    sheet.figure("in_time_per_second", ServingTotals::inTimePerSecond, _ -> reading);
    sheet.figure("mean_gpus", ServingTotals::meanGpus, _ -> reading);
    sheet.figure("mean_share_percent", ServingTotals::meanSharePercent, _ -> reading);
    sheet.figure("moves", ServingTotals::moves, _ -> reading);
    sheet.figure("reorganisations", ServingTotals::reorganisations, _ -> reading);
  }

  private static double violationPercent(ServingTotals totals) {
    return 100 * totals.all().violationShare();
  }
}

package dev.cotenant.lab.inss;

import static dev.cotenant.lab.figure.Sheet.difference;
import static dev.cotenant.lab.figure.Sheet.percent;

import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.figure.WatchedPreset;
import dev.cotenant.lab.inss.InssServer.Model;
import dev.cotenant.lab.inss.OnlinePolicies.Maker;
import dev.cotenant.lab.requests.ModelDurations;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.Replanning;
import dev.cotenant.lab.requests.Replanning.Margin;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingSettings;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingSimulation;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.lab.serving.IgniterPlans;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.glet.GpuletPlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.inss.FilledGpus;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.placement.inss.MostThroughput;
import dev.cotenant.simulator.event.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures 15 to 23 of InSS: six models on four GPUs of two kinds, and eight models on more, Poisson
 * arrivals at rates that change.
 *
 * <p>InSS is here BDA on a placement that fills the GPUs ({@link FilledGpus}): the learned
 * placement (SAC-Discrete, Figures 13 and 14) is not implemented. Throughput is the paper's: Σ of
 * what the planned batches serve at most (section 4.1), not of requests served; else the published
 * 1 / 2.897 of iGniter at 3.8 % of violations would contradict each other.
 *
 * <p>Rates were not published. The published throughputs bound them: iGniter's, a third of that of
 * InSS, must serve 96.2 % of requests. So each model's rate is a part of what a whole RTX 2060
 * serves of it, drawn again for every minute, with straight lines between, so low that the sum is
 * about a third of what four GPUs serve. Where a planner does not place all services, it plans for
 * the largest part of the rates, in steps of 10 %, for which it does.
 */
public final class InssServing implements WatchedPreset {
  public static final Card CARD =
      new Card(
          "inss-serving",
          "Throughput, violations, batches and latencies of six and eight models at changing rates"
              + " on GPUs of two kinds by strategy",
          "InSS, Figures 15 to 23",
          20);

  private static final String INSS = "inss";
  private static final String FILLED = "inss-bda, filled";
  private static final String FEW_MOVES = OnlinePolicies.FILLED;
  private static final String FOUR = "inss-bda, filled, 4 GPUs";
  private static final String FIVE = "inss-bda, filled, 5 GPUs";
  private static final String GPULETS = "gpulets";
  private static final String BDA_GPULETS = "gpulets, batches of BDA";
  private static final String GSLICE = "gslice";
  private static final String IGNITER = "igniter";
  private static final String WAITS = "inss-bda, filled, waits for batches";
  private static final String BEST = "best, rising rates ahead";
  private static final String MAX = "most throughput, rising rates ahead";

  /** Less than 1 % of violations. */
  private static final Set<String> PROMISED = Set.of(INSS, MAX, FEW_MOVES);

  private static final Set<String> BASELINES = Set.of(GPULETS, GSLICE, IGNITER);
  private static final Map<String, Double> PAPER =
      Map.of(GPULETS, 1 / 1.281, BDA_GPULETS, 1.11 / 1.281, GSLICE, 1 / 1.477, IGNITER, 1 / 2.897);
  private static final double LOW = InssEnvironment.LOW;
  private static final double HIGH = InssEnvironment.HIGH;
  private static final double MINUTE = 60;

  /** The prediction error that the paper states [InSS, section 6.2]. */
  private static final double DEVIATION = 0.04;

  private static final String READING =
      "mechanism only: rates, coefficients and the authors' networks are not public; the placement"
          + " is learned here, in 1,500 episodes as there (docs/placement-policies.md)."
          + " Throughput is what planned batches serve at most, as in the paper's"
          + " section 4.1: of requests served, strategies with 1 to 4.5 % of violations cannot"
          + " differ by a factor of 2.9. Shares that fill the GPUs give as much of it as learned"
          + " ones";
  private static final String BDA_READING =
      "the paper: 11 % more than gpu-lets with about as many violations. Here BDA's batches, which"
          + " fill within the objective, are smaller than those that take half of it, so that they"
          + " serve less at most, and fewer requests are late";
  private static final String VIOLATIONS =
      "rates rise by up to a third of a GPU's in a minute, and a plan for observed rates is up to"
          + " 35 s behind: igniter plans shares for the rate alone and suffers most";
  private static final String MIN =
      "our own planner looks for the fewest GPUs, not for the most throughput: it loses here, and"
          + " serves the rates on three GPUs instead of four";
  private static final String OURS =
      "our own planner for given GPUs: from filled GPUs, the steps that raise the sum of"
          + " throughputs most while every rate has its place, with room for rises. Violations stay"
          + " below the 1 % that InSS promises; filled GPUs have fewer, since shares in"
          + " proportion to loads leave room for all alike";
  private static final String KEPT =
      "ours for given GPUs: shares that fill them in proportion to loads, kept as long as BDA finds"
          + " batches in them; the learned placement serves as much, is late less often, and never"
          + " moves";
  private static final String LOOP =
      "the product's loop looks for the fewest GPUs, not for the most throughput";
  private static final String LATENCY =
      "the paper: InSS's planned and true batches almost the same, longer waits and shorter"
          + " inference than the others, drawn without numbers. Inference is shorter here too."
          + " Partitions that take what waits neither fill their batches nor wait; those that wait"
          + " half the objective, as gpu-lets and GSLICE do, come closer to their plan than these";
  private static final String HEAVY =
      "the paper: with four GPUs InSS is comparable with gpu-lets and GSLICE on five to six, with"
          + " five it is ahead of all, by up to 180 %; iGniter takes three";
  private static final String UNPRINTED = "drawn without numbers, or not in the paper";

  private final Duration time;

  public InssServing() {
    this(Duration.ofMinutes(5));
  }

  public InssServing(Duration time) {
    this.time = time;
  }

  /** A policy, its GPUs, and how requests wait for their batch. */
  private record Served(InssServer server, Batching batching, Maker maker) {
    static Served atOnce(InssServer server, ServicePlanner planner) {
      return new Served(server, Batching.WHAT_WAITS, _ -> replanning(server, planner, Margin.NONE));
    }

    static Served waiting(InssServer server, ServicePlanner planner) {
      return new Served(server, OnlinePolicies.HALF, _ -> replanning(server, planner, Margin.NONE));
    }

    static Served ahead(InssServer server, ServicePlanner planner) {
      return new Served(
          server, Batching.WHAT_WAITS, _ -> replanning(server, planner, OnlinePolicies.AHEAD));
    }

    private static Replanning replanning(InssServer server, ServicePlanner planner, Margin margin) {
      return new Replanning(new PartOfRates(server::fleet, planner), margin.targets());
    }
  }

  /** What a run gave, and what its plans serve at most, requests a second. */
  private record Run(ServingTotals totals, double capacity) {
    double violationPercent() {
      return 100 * totals.all().violationShare();
    }

    double percent(long part) {
      return 100.0 * part / Math.max(1, totals.all().arrived());
    }

    double gpus() {
      return totals.meanGpus();
    }

    ServingTotals.Batches batches(String model) {
      return totals.batches().stream()
          .filter(each -> each.service().equals(model))
          .findFirst()
          .orElseThrow();
    }
  }

  private static SequencedMap<String, Served> six() {
    InssServer server = InssServer.ofSix();
    SequencedMap<String, Served> all = new LinkedHashMap<>();
    all.put(INSS, new Served(server, Batching.WHAT_WAITS, OnlinePolicies.inss(server)));
    all.put(FILLED, Served.atOnce(server, new FilledGpus()));
    all.put(WAITS, Served.waiting(server, new FilledGpus()));
    all.put("inss-bda, shares of igniter", Served.atOnce(server, new InssPlanner()));
    all.put(GPULETS, Served.waiting(server, new LargestBatches(IgniterPlanner.GPULETS)));
    all.put(BDA_GPULETS, Served.waiting(server, new BatchesByBda(IgniterPlanner.GPULETS)));
    all.put(GSLICE, Served.waiting(server, GpuletPlanner.SELF_TUNING));
    all.put("gslice+", Served.atOnce(server, IgniterPlanner.GSLICE));
    all.put(IGNITER, Served.atOnce(server, IgniterPlanner.IGNITER));
    all.put(BEST, Served.ahead(server, IgniterPlans.PLANNER));
    all.put(MAX, Served.ahead(server, new MostThroughput()));
    all.put(FEW_MOVES, new Served(server, Batching.WHAT_WAITS, OnlinePolicies.filled(server)));
    all.put(
        OnlinePolicies.CONTROLLER,
        new Served(server, Batching.WHAT_WAITS, _ -> OnlinePolicies.controlled(server)));
    return all;
  }

  private static SequencedMap<String, Served> eight() {
    InssServer enough = InssServer.ofEight(3, 3);
    SequencedMap<String, Served> all = new LinkedHashMap<>();
    all.put(FOUR, Served.atOnce(InssServer.ofEight(2, 2), new FilledGpus()));
    all.put(FIVE, Served.atOnce(InssServer.ofEight(3, 2), new FilledGpus()));
    all.put(GPULETS, Served.waiting(enough, new LargestBatches(IgniterPlanner.GPULETS)));
    all.put(GSLICE, Served.waiting(enough, GpuletPlanner.SELF_TUNING));
    all.put(IGNITER, Served.atOnce(enough, IgniterPlanner.IGNITER));
    return all;
  }

  @Override
  public List<Cell> run(int seeds, Watch watch) {
    List<Cell> cells = new ArrayList<>();
    Sheet<Run> six = sheet("Figures 15 to 20, 23", six(), seeds, watch);
    addThroughput(six, INSS, PAPER);
    addViolations(six, Map.of(INSS, 1.0, GPULETS, 4.4, GSLICE, 4.5, IGNITER, 3.8));
    addMinutes(six);
    addBatches(six);
    figure(six, "mean_gpus", Run::gpus);
    addMargins(six);
    cells.addAll(six.cells());
    Sheet<Run> eight = sheet("Figures 21 and 22", eight(), seeds, watch);
    addHeavy(eight);
    addViolations(eight, Map.of());
    cells.addAll(eight.cells());
    return cells;
  }

  private Sheet<Run> sheet(String table, Map<String, Served> policies, int seeds, Watch watch) {
    Sheet<Run> sheet = new Sheet<>(table);
    policies.forEach((name, served) -> {
      watch.step(table + ": " + name);
      for (int seed = 0; seed < seeds; seed++) {
        Run run = run(served, seed);
        watch.served(table, name, run.totals());
        sheet.add(name, run);
      }
    });
    return sheet;
  }

  private static void addThroughput(Sheet<Run> sheet, String base, Map<String, Double> ratios) {
    sheet.ratio("throughput_over_inss", base, Run::capacity, policy -> ratio(ratios, policy));
    figure(sheet, "throughput_per_second", Run::capacity);
    figure(sheet, "in_time_per_second", run -> run.totals().inTimePerSecond());
  }

  private static void addViolations(Sheet<Run> sheet, Map<String, Double> violations) {
    sheet.figure(
        "violation_percent", Run::violationPercent, policy -> violation(violations, policy));
    figure(sheet, "late_percent", run -> run.percent(run.totals().all().late()));
    figure(sheet, "dropped_percent", run -> run.percent(run.totals().all().dropped()));
    figure(sheet, "mean_share_percent", run -> run.totals().meanSharePercent());
    figure(sheet, "reorganisations", run -> run.totals().reorganisations());
    figure(sheet, "moves", run -> run.totals().moves());
  }

  private void addMinutes(Sheet<Run> sheet) {
    for (int minute = 1; minute <= time.toSeconds() / MINUTE; minute++) {
      double from = (minute - 1) * MINUTE;
      figure(sheet, "in_time_per_second_in_minute_" + minute, run -> inTime(run.totals(), from));
    }
  }

  private static double inTime(ServingTotals totals, double from) {
    return totals.periods().stream()
            .filter(period -> period.start() >= from && period.start() < from + MINUTE)
            .mapToDouble(period -> period.counts().inTime())
            .sum()
        / MINUTE;
  }

  private static void addBatches(Sheet<Run> sheet) {
    Published reading = Published.none(LATENCY);
    sheet.figure(
        "planned_batch_of_ResNet50", run -> run.batches("ResNet50").meanPlanned(), _ -> reading);
    sheet.figure("batch_of_ResNet50", run -> run.batches("ResNet50").meanSize(), _ -> reading);
    for (String model : List.of("ResNet50", "MnasNet")) {
      sheet.figure("wait_ms_of_" + model, run -> run.batches(model).meanWaitMillis(), _ -> reading);
      sheet.figure(
          "inference_ms_of_" + model, run -> run.batches(model).meanLatencyMillis(), _ -> reading);
      sheet.ratio(
          "inference_of_" + model + "_over_inss",
          WAITS,
          run -> run.batches(model).meanLatencyMillis(),
          policy -> BASELINES.contains(policy) ? atLeastInss(LATENCY) : reading);
    }
  }

  private static Published atLeastInss(String reading) {
    return new Published(null, Bar.atLeast(1), reading);
  }

  private static void addMargins(Sheet<Run> sheet) {
    Versus versus = new Versus(FEW_MOVES, INSS);
    sheet.margin(
        "throughput_percent",
        versus,
        percent(Run::capacity),
        new Published(null, Bar.atLeast(0), KEPT));
    sheet.margin(
        "violation_points",
        versus,
        difference(Run::violationPercent),
        new Published(null, Bar.atMost(0), KEPT));
    sheet.margin(
        "moves_beyond_half",
        versus,
        (own, other) -> own.totals().moves() - 0.5 * other.totals().moves(),
        new Published(null, Bar.atMost(0), KEPT));
    versus = new Versus(OnlinePolicies.CONTROLLER, INSS);
    Published loop = Published.none(LOOP);
    sheet.margin("in_time_percent", versus, percent(run -> run.totals().inTimePerSecond()), loop);
    sheet.margin("violation_points", versus, difference(Run::violationPercent), loop);
    sheet.margin(
        "moves", versus, (own, other) -> own.totals().moves() - other.totals().moves(), loop);
    Published most = Published.none(OURS);
    versus = new Versus(MAX, INSS);
    sheet.margin("throughput_percent", versus, percent(Run::capacity), most);
    sheet.margin("violation_points", versus, difference(Run::violationPercent), most);
    Published fewest = Published.none(MIN);
    versus = new Versus(BEST, INSS);
    sheet.margin("throughput_percent", versus, percent(Run::capacity), fewest);
    sheet.margin("gpus_percent", versus, percent(Run::gpus), fewest);
    sheet.margin("violation_points", versus, difference(Run::violationPercent), fewest);
  }

  private static void addHeavy(Sheet<Run> sheet) {
    Published reading = Published.none(HEAVY);
    sheet.ratio(
        "throughput_over_inss",
        FOUR,
        Run::capacity,
        policy -> policy.equals(FIVE) ? atLeastInss(HEAVY) : reading);
    sheet.figure("throughput_per_second", Run::capacity, _ -> reading);
    sheet.figure(
        "mean_gpus",
        Run::gpus,
        policy -> policy.equals(IGNITER) ? new Published(3.0, null, HEAVY) : reading);
  }

  private static void figure(Sheet<Run> sheet, String metric, ToDoubleFunction<Run> figure) {
    sheet.figure(metric, figure, _ -> Published.none(UNPRINTED));
  }

  /** InSS is at least as far ahead as published. */
  private static Published ratio(Map<String, Double> paper, String policy) {
    Double value = paper.get(policy);
    if (value == null) {
      return Published.none(own(policy));
    }
    return policy.equals(BDA_GPULETS)
        ? new Published(value, null, BDA_READING)
        : new Published(value, Bar.atMost(value), READING);
  }

  private static Published violation(Map<String, Double> paper, String policy) {
    Double value = paper.get(policy);
    boolean isPromised = PROMISED.contains(policy) || policy.startsWith(FILLED);
    @Nullable Bar bar = isPromised ? Bar.atMost(1) : null;
    return value == null
        ? new Published(null, bar, own(policy))
        : new Published(value, bar, VIOLATIONS);
  }

  /** The reading of a figure that the paper does not print. */
  private static String own(String policy) {
    return switch (policy) {
      case BEST -> MIN;
      case MAX -> OURS;
      case FEW_MOVES -> KEPT;
      case OnlinePolicies.CONTROLLER -> LOOP;
      default -> UNPRINTED;
    };
  }

  private Run run(Served served, long seed) {
    InssServer server = served.server();
    Fleet known = server.fleet(ones(server));
    ServingSettings settings =
        new ServingSettings(
            server.gpus(),
            new ModelDurations(known, DEVIATION, seed),
            served.batching(),
            OnlinePolicies.PERIODS,
            new Traffic(Arrivals.POISSON, time, seed));
    ServingTotals totals =
        ServingSimulation.run(settings, streams(server, seed), served.maker().of(seed));
    return new Run(totals, capacity(new GpuEvaluation(known), totals));
  }

  private static double capacity(GpuEvaluation evaluation, ServingTotals totals) {
    return totals.periods().stream()
        .mapToDouble(period -> MostThroughput.perSecond(period.plan(), evaluation))
        .average()
        .orElse(0);
  }

  private static Map<String, Double> ones(InssServer server) {
    Map<String, Double> rates = new HashMap<>();
    server.models().forEach(model -> rates.put(model.name(), 1.0));
    return rates;
  }

  /** A rate for each minute, uniform between two parts of a whole GPU's. */
  private List<RequestStream> streams(InssServer server, long seed) {
    Draws draws = new Draws(seed);
    List<RequestStream> streams = new ArrayList<>();
    for (Model model : server.models()) {
      double whole = server.wholeRate(model);
      double[] seconds = new double[(int) (time.toSeconds() / MINUTE) + 1];
      double[] rates = new double[seconds.length];
      for (int i = 0; i < rates.length; i++) {
        seconds[i] = i * MINUTE;
        rates[i] = whole * draws.uniform(LOW, HIGH);
      }
      streams.add(
          RequestStream.of(model.name(), model.sloMillis(), RateCurve.linear(seconds, rates)));
    }
    return streams;
  }
}

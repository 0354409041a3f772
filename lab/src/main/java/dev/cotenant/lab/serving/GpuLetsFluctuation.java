package dev.cotenant.lab.serving;

import static dev.cotenant.lab.figure.Sheet.difference;
import static dev.cotenant.lab.figure.Sheet.percent;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.figure.WatchedPreset;
import dev.cotenant.lab.gpulets.PaperModel;
import dev.cotenant.lab.gpulets.ShareInterpretation;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.Replanning.Margin;
import dev.cotenant.lab.requests.Replanning.Targets;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.simulator.event.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * Figure 14 of gpu-lets: five models whose rates rise and fall twice within 1,800 s, the second
 * time higher.
 *
 * <p>The rates were drawn without numbers. Here they are parts of the largest equal rate that
 * {@code gpulets} schedules: 0.15 at rest, about 0.5 at the first peak (300 s) and 0.75 at the
 * second (1,200 s), each model with peaks of its own height (up to 25 % off) and time (up to 60 s
 * off).
 */
public final class GpuLetsFluctuation implements WatchedPreset {
  public static final Card CARD =
      new Card(
          "gpu-lets-fluctuation",
          "Violations, shares and reorganisations of five models at changing rates on four GPUs by"
              + " strategy",
          "gpu-lets (ATC 2022), Figure 14",
          20);

  private static final String TABLE = "Figure 14";
  private static final String GPULETS = "gpulets";
  private static final String AHEAD_OF_RISES = "gpulets, rising rates ahead";
  private static final double HEADROOM = 0.2;

  /** A period until the next decision, and most of one for the reorganisation. */
  private static final double AHEAD = 2;

  private static final double REST = 0.15;
  private static final double FIRST = 0.5;
  private static final double SECOND = 0.75;
  private static final double HEIGHT = 0.25;
  private static final double SHIFT_SECONDS = 60;
  private static final double STEP = 1.02;
  private static final String READING =
      "mechanism only: the rates of the figure and the authors' latencies are not public; two rises"
          + " to half and three quarters of the largest rates stand in. Targets, counts and their"
          + " average are those of the authors' code: room of a fifth to a half above observed"
          + " rates. What is left comes from errors of the interference factor (gpulets, exact"
          + " factor) and from bursts (gpulets, even arrivals)";
  private static final String OURS =
      "our own targets, the observed rate, two periods of its rise, and a fifth: as many violations"
          + " as with gpulets within the intervals, on a smaller share of the GPUs";
  private static final String VARIANT = "not in the paper; the same requests";

  private final GpuLetsRun run;
  private final Duration time;

  public GpuLetsFluctuation(List<UtilizationCell> cells) {
    this(cells, Duration.ofMinutes(30));
  }

  public GpuLetsFluctuation(List<UtilizationCell> cells, Duration time) {
    run = GpuLetsRun.of(cells, ShareInterpretation.MEASURED_SHARES);
    this.time = time;
  }

  /** A strategy, the rates that it plans for, and the server that it plans for. */
  private record Planned(String strategy, Supplier<Targets> targets, GpuLetsRun run) {
    ServingTotals of(List<RequestStream> streams, Duration time, long seed) {
      return run.of(streams, run.replanning(strategy, targets.get()), time, seed);
    }
  }

  private SequencedMap<String, Planned> policies() {
    SequencedMap<String, Planned> all = new LinkedHashMap<>();
    for (String name : List.of("sbp", "self-tuning", "gpulets-nointerference", GPULETS)) {
      all.put(name, new Planned(name, RateRoom::new, run));
    }
    all.put("gpulets, observed rates", new Planned(GPULETS, Margin.NONE::targets, run));
    all.put("gpulets, even arrivals", new Planned(GPULETS, RateRoom::new, run.evenly()));
    all.put("gpulets, exact factor", new Planned(GPULETS, RateRoom::new, run.exactly()));
    all.put(AHEAD_OF_RISES, new Planned(GPULETS, new Margin(HEADROOM, AHEAD)::targets, run));
    return all;
  }

  @Override
  public List<Cell> run(int seeds, Watch watch) {
    double most = mostEqualRate();
    Sheet<ServingTotals> sheet = new Sheet<>(TABLE);
    policies()
        .forEach((name, planned) -> {
          watch.step(name);
          for (int seed = 0; seed < seeds; seed++) {
            ServingTotals totals = planned.of(streams(most, seed), time, seed);
            watch.served(TABLE, name, totals);
            sheet.add(name, totals);
          }
        });
    addFigures(sheet);
    return sheet.cells();
  }

  private static void addFigures(Sheet<ServingTotals> sheet) {
    sheet.figure(
        "violation_percent",
        totals -> 100 * totals.all().violationShare(),
        GpuLetsFluctuation::violations);
    sheet.figure(
        "worst_period_violation_percent",
        totals ->
            totals.periods().stream()
                .mapToDouble(period -> 100 * period.counts().violationShare())
                .max()
                .orElse(0),
        _ -> Published.none("drawn without numbers"));
    sheet.figure(
        "mean_share_percent_of_400",
        ServingTotals::meanSharePercent,
        _ -> Published.none("drawn without numbers"));
    sheet.ratio(
        "mean_share_over_gpulets",
        GPULETS,
        ServingTotals::meanSharePercent,
        policy ->
            policy.equals(AHEAD_OF_RISES)
                ? new Published(null, Bar.atMost(1), OURS)
                : Published.none(VARIANT));
    sheet.figure(
        "in_time_per_second",
        ServingTotals::inTimePerSecond,
        _ -> Published.none("drawn without numbers"));
    sheet.figure(
        "reorganisations",
        totals -> totals.reorganisations(),
        _ -> Published.none("not printed; at most one in 20 s"));
    Versus versus = new Versus(AHEAD_OF_RISES, GPULETS);
    Published ours = Published.none(OURS);
    sheet.margin("violation_points", versus, difference(t -> 100 * t.all().violationShare()), ours);
    sheet.margin("share_percent", versus, percent(ServingTotals::meanSharePercent), ours);
  }

  private static Published violations(String policy) {
    return switch (policy) {
      case GPULETS -> new Published(0.14, Bar.atMost(0.5), READING);
      case AHEAD_OF_RISES -> new Published(null, Bar.atMost(0.5), OURS);
      default -> Published.none(VARIANT);
    };
  }

  /** The largest rate of each model that gpulets schedules where all models have the same. */
  private double mostEqualRate() {
    double rate = 1;
    while (run.server().plan(GPULETS, equal(rate * STEP), Map.of()).isPresent()) {
      rate *= STEP;
    }
    return rate;
  }

  private static Map<String, Double> equal(double rate) {
    Map<String, Double> rates = new LinkedHashMap<>();
    for (PaperModel model : PaperModel.values()) {
      rates.put(model.key(), rate);
    }
    return rates;
  }

  private static List<RequestStream> streams(double most, long seed) {
    Draws draws = new Draws(seed);
    List<RequestStream> streams = new ArrayList<>();
    for (PaperModel model : PaperModel.values()) {
      double shift = draws.uniform(-SHIFT_SECONDS, SHIFT_SECONDS);
      double height = most * draws.uniform(1 - HEIGHT, 1 + HEIGHT);
      RateCurve curve =
          RateCurve.linear(
              new double[] {0, 300 + shift, 600, 900, 1_200 + shift, 1_500},
              new double[] {
                REST * most, FIRST * height, REST * most, REST * most, SECOND * height, REST * most
              });
      streams.add(RequestStream.of(model.key(), model.sloMillis(), curve));
    }
    return streams;
  }
}

package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.SoloLatency;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How wrong a model's latencies alone are when its graph is known and nothing or little was
 * measured of it; each model out in turn, judged on all its cells but the measured ones.
 */
final class ColdEvaluation {
  /*
   * cold-start is the shipped guess. cold-start-rescaled multiplies it by the geometric mean of
   * measured over guessed time of the other models; other-models is their geometric mean time in the
   * same cell, which needs no graph. The predicted utilization enters power and L2, not these times.
   */
  private static final double UTILIZATION_PERCENT = 100;

  private record Cell(int batch, double sharePercent) {}

  /** Which runs are made first. */
  private static final List<Cell> FIRST =
      List.of(new Cell(8, 50), new Cell(1, 20), new Cell(32, 80));

  private final List<SoloLatency> runs;
  private final Map<String, WorkloadProfile> guesses = new TreeMap<>();

  ColdEvaluation(List<SoloLatency> runs, Map<String, GraphFeatures> graphs, Device device) {
    this.runs = runs.stream().filter(run -> graphs.containsKey(run.model())).toList();
    graphs.forEach((model, features) ->
        guesses.put(
            model,
            ColdStart.profile(model, GraphWork.of(features.model()), device, UTILIZATION_PERCENT)));
  }

  /** Without any run of the model, with one and with three. */
  void addTo(Figures figures) {
    if (Profiles.models(runs).size() > 1) {
      add(figures, "cold-start-0runs", List.of());
      add(figures, "cold-start-1run", FIRST.subList(0, 1));
      add(figures, "cold-start-3runs", FIRST);
    }
  }

  private void add(Figures figures, String protocol, List<Cell> measured) {
    Tally plain = new Tally();
    Tally rescaled = new Tally();
    Scores others = new Scores();
    for (String model : Profiles.models(runs)) {
      List<SoloLatency> own = runs.stream().filter(run -> run.model().equals(model)).toList();
      List<SoloLatency> shown = own.stream().filter(run -> measured.contains(cell(run))).toList();
      List<SoloLatency> test = own.stream().filter(run -> !measured.contains(cell(run))).toList();
      WorkloadProfile guess = guess(model);
      plain.add(guess, shown, test);
      rescaled.add(scaled(guess, correction(model)), shown, test);
      for (SoloLatency run : test) {
        double mean = meanOfOthers(run);
        if (Double.isFinite(mean)) {
          others.add(run.latencyMillis(), mean);
        }
      }
    }
    figures.addMape(protocol, "other-models", others);
    plain.addTo(figures, protocol, "cold-start");
    rescaled.addTo(figures, protocol, "cold-start-rescaled");
  }

  private WorkloadProfile guess(String model) {
    return Objects.requireNonNull(guesses.get(model));
  }

  private static Cell cell(SoloLatency run) {
    return new Cell(run.batch(), run.sharePercent());
  }

  /** Measured over guessed time of the other models. */
  private double correction(String model) {
    return Math.exp(
        runs.stream()
            .filter(run -> !run.model().equals(model))
            .mapToDouble(run ->
                Math.log(
                    run.latencyMillis()
                        / guess(run.model()).activeTime().millis(run.batch(), run.sharePercent())))
            .average()
            .orElse(0));
  }

  private double meanOfOthers(SoloLatency run) {
    return Math.exp(
        runs.stream()
            .filter(r -> !r.model().equals(run.model()) && cell(r).equals(cell(run)))
            .mapToDouble(r -> Math.log(r.latencyMillis()))
            .average()
            .orElse(Double.NaN));
  }

  private static WorkloadProfile scaled(WorkloadProfile p, double by) {
    WorkloadProfile.ActiveTime time = p.activeTime();
    return new WorkloadProfile(
        p.name(),
        p.device(),
        new WorkloadProfile.ActiveTime(
            by * time.k1(), by * time.k2(), by * time.k3(), time.k4(), by * time.k5()),
        p.cacheSensitivity(),
        p.demand(),
        p.kernels(),
        p.schedulingMillis(),
        p.inputBytes(),
        p.outputBytes());
  }

  /** Errors and bounds of one way to guess. */
  private static final class Tally {
    private final Scores scores = new Scores();
    private final Scores bounds = new Scores();
    private final Scores lowerBounds = new Scores();

    void add(WorkloadProfile guess, List<SoloLatency> shown, List<SoloLatency> test) {
      List<SoloPoint> points = MeasuredSolo.points(shown);
      if (!(ColdStart.solo(guess, points) instanceof Fitted<MeasuredSolo>(MeasuredSolo solo))) {
        return;
      }
      SoloSurface surface = solo.surface();
      for (SoloLatency run : test) {
        double mean = surface.millis(run.batch(), run.sharePercent());
        double deviation = surface.relativeDeviation(run.batch(), run.sharePercent());
        Interval interval = Interval.logNormal(mean, deviation);
        scores.add(run.latencyMillis(), mean);
        bounds.add(1, interval.upper() / run.latencyMillis());
        lowerBounds.add(interval.lower(), run.latencyMillis());
      }
    }

    void addTo(Figures figures, String protocol, String model) {
      figures.addMape(protocol, model, scores);
      figures.addQuantiles(protocol, model, scores);
      figures.addBound(protocol, model, bounds);
      if (!lowerBounds.isEmpty()) {
        double held = lowerBounds.mean(Scores::held);
        figures.add(protocol, model, "lower_bound_coverage", held, lowerBounds.size());
      }
    }
  }
}

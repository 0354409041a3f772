package dev.cotenant.lab.pairs;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;

/** Solo measurements of jobs, as a cluster's runs before the pairs arrive. */
final class OwnRuns {
  private static final long SEED = 1;

  private final LifeCycle lifeCycle;
  private final Device device;
  private final SortedMap<String, Run> runs;
  private final Set<String> half;
  private final Map<Set<String>, FeaturePredictor> trained = new HashMap<>();

  /**
   * One of them.
   *
   * @param model model of the run's batch and precision
   * @param row what was measured
   */
  record Run(String model, ProfileRow row) {}

  /**
   * @param runs by the job's name
   */
  OwnRuns(LifeCycle lifeCycle, Device device, SortedMap<String, Run> runs) {
    this.lifeCycle = lifeCycle;
    this.device = device;
    this.runs = runs;
    List<String> names = new ArrayList<>(runs.keySet());
    Collections.shuffle(names, new Random(SEED));
    this.half = Set.copyOf(names.subList(0, names.size() / 2));
  }

  /** Predictions for a job after these runs; empty without any measurement. */
  Map<PriorRuns, Prediction> predictions(String job) {
    Run own = runs.get(job);
    Map<PriorRuns, Prediction> predictions = new EnumMap<>(PriorRuns.class);
    if (own == null) {
      return predictions;
    }
    for (PriorRuns learned : PriorRuns.values()) {
      Predicate<String> known =
          switch (learned) {
            case ALL, REGISTERED -> _ -> true;
            case OTHERS -> name -> !name.equals(job);
            case HALF -> name -> half.contains(name) != half.contains(job);
            case OTHER_MODELS -> name -> !model(name).equals(own.model());
          };
      predictions.put(learned, predict(own.row(), known));
    }
    return predictions;
  }

  private String model(String name) {
    Run run = runs.get(name);
    return run == null ? "" : run.model();
  }

  private Prediction predict(ProfileRow row, Predicate<String> known) {
    Set<String> names = new HashSet<>(runs.keySet());
    names.removeIf(known.negate());
    return trained
        .computeIfAbsent(names, this::train)
        .predict(row.features(), row.settings(), device)
        .withWork(GraphWork.of(row.features()));
  }

  private FeaturePredictor train(Set<String> names) {
    return lifeCycle.after(
        runs.entrySet().stream()
            .filter(run -> names.contains(run.getKey()))
            .map(run -> run.getValue().row())
            .toList());
  }
}

package dev.cotenant.lab.pairs;

import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.Predictor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Makes the truth of a replay of what was measured in pairs, device by device. */
public final class PairSets {
  private final DeviceCatalogue devices;
  private final Predictor predictor;

  /** Predicts jobs whose graph is known with this predictor. */
  public PairSets(DeviceCatalogue devices, Predictor predictor) {
    this.devices = devices;
    this.predictor = predictor;
  }

  /**
   * Measured pairs by device. Jobs of which neither memory was measured nor a graph is known are
   * left out: their request is unknown.
   *
   * @throws InputException when nothing is left
   */
  public List<MeasuredPairs> of(ColocationRows rows, PairedJobs graphs) {
    return of(rows, graphs, this::learned);
  }

  /** The same without predictions that a cluster would learn from runs of its own. */
  public List<MeasuredPairs> ofShipped(ColocationRows rows, PairedJobs graphs) {
    return of(rows, graphs, (_, _, _) -> _ -> Map.of());
  }

  /** Predictions after runs of the cluster's own, by the name of a job. */
  @FunctionalInterface
  private interface Learning {
    Function<String, Map<PriorRuns, Prediction>> from(
        SortedMap<String, TrainingPair.Job> measured,
        SortedMap<String, ProfileRow> profiles,
        Device device);
  }

  private List<MeasuredPairs> of(ColocationRows rows, PairedJobs graphs, Learning learning) {
    Map<String, List<TrainingPair>> byDevice = new TreeMap<>();
    rows.training()
        .forEach(row -> byDevice.computeIfAbsent(row.device(), _ -> new ArrayList<>()).add(row));
    List<MeasuredPairs> sets = new ArrayList<>();
    byDevice.forEach((name, pairs) -> {
      Device device = device(name);
      List<ReplayedJob> jobs = jobs(pairs, graphs, device, learning);
      if (!jobs.isEmpty()) {
        sets.add(new MeasuredPairs(device, jobs, MeasuredPairs.speeds(pairs)));
      }
    });
    if (sets.isEmpty()) {
      throw InputException.malformed(
          "trace-empty", "There is not a pair of training jobs that can be replayed.");
    }
    return sets;
  }

  /** By id, else the first product of that family: sets do not say how much memory it had. */
  private Device device(String name) {
    return devices
        .find(name)
        .or(() ->
            devices.devices().stream()
                .filter(device -> device.id().value().startsWith(name + "-"))
                .findFirst())
        .orElseGet(() -> devices.require(name));
  }

  private List<ReplayedJob> jobs(
      List<TrainingPair> pairs, PairedJobs graphs, Device device, Learning learning) {
    SortedMap<String, TrainingPair.Job> measured = new TreeMap<>();
    pairs.forEach(pair -> measured.putIfAbsent(pair.own().name(), pair.own()));
    SortedMap<String, ProfileRow> profiles = new TreeMap<>();
    measured.forEach((name, job) ->
        graphs.profile(job, device.id()).ifPresent(profile -> profiles.put(name, profile)));
    Function<String, Map<PriorRuns, Prediction>> learned =
        learning.from(measured, profiles, device);
    List<ReplayedJob> jobs = new ArrayList<>();
    measured.forEach((name, job) -> {
      ProfileRow profile = profiles.get(name);
      TrainingPair.Usage usage = job.usage();
      jobs.add(
          new ReplayedJob(
              name,
              usage == null ? null : Utilization.ofPercent(usage.utilizationPercent()),
              usage == null ? null : memory(usage),
              profile == null ? null : predict(profile, device),
              learned.apply(name)));
    });
    return jobs.stream().filter(job -> job.memory() != null || job.predicted() != null).toList();
  }

  private Function<String, Map<PriorRuns, Prediction>> learned(
      SortedMap<String, TrainingPair.Job> measured,
      SortedMap<String, ProfileRow> profiles,
      Device device) {
    OwnRuns runs = ownRuns(measured, profiles, device);
    return name -> {
      TrainingPair.Job job = measured.get(name);
      TrainingPair.Usage usage = job == null ? null : job.usage();
      return usage != null && !profiles.containsKey(name)
          ? Map.of(PriorRuns.REGISTERED, Ungraphed.after(alone(usage), device))
          : runs.predictions(name);
    };
  }

  /** The jobs that were measured alone and whose graph is known. */
  private OwnRuns ownRuns(
      SortedMap<String, TrainingPair.Job> measured,
      SortedMap<String, ProfileRow> profiles,
      Device device) {
    SortedMap<String, OwnRuns.Run> runs = new TreeMap<>();
    measured.forEach((name, job) -> {
      TrainingPair.Usage usage = job.usage();
      ProfileRow profile = profiles.get(name);
      if (usage != null && profile != null) {
        runs.put(name, new OwnRuns.Run(job.model(), with(profile, alone(usage))));
      }
    });
    return new OwnRuns(new LifeCycle(predictor, devices), device, runs);
  }

  private static Measurement alone(TrainingPair.Usage usage) {
    return Measurement.NONE
        .withUtilization(Utilization.ofPercent(usage.utilizationPercent()))
        .withPeakMemory(memory(usage));
  }

  private static MemorySize memory(TrainingPair.Usage usage) {
    return MemorySize.ofBytesRoundedUp(usage.memoryMebibytes() * MemorySize.MIB);
  }

  static ProfileRow with(ProfileRow profile, Measurement measurement) {
    return new ProfileRow(
        profile.source(),
        profile.family(),
        profile.topology(),
        profile.features(),
        profile.settings(),
        profile.device(),
        measurement,
        profile.licence(),
        profile.quality(),
        profile.identity());
  }

  private Prediction predict(ProfileRow profile, Device device) {
    return predictor
        .predict(profile.features(), profile.settings(), device)
        .withWork(GraphWork.of(profile.features()));
  }
}

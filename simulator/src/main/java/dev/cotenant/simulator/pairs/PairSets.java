package dev.cotenant.simulator.pairs;

import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.Predictor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the truth of a replay of what was measured in pairs, device by device. */
public final class PairSets {
  private static final double BYTES_PER_MEBIBYTE = 1 << 20;

  private final DeviceCatalogue devices;
  private final Predictor predictor;

  /** Predicts jobs whose graph is known with this predictor. */
  public PairSets(DeviceCatalogue devices, Predictor predictor) {
    this.devices = devices;
    this.predictor = predictor;
  }

  /**
   * What was measured on each device. Jobs of which neither memory was measured nor a graph is
   * known are left out: nobody could say what they ask for.
   *
   * @throws InputException when nothing is left
   */
  public List<MeasuredPairs> of(ColocationRows rows, PairedJobs graphs) {
    Map<String, List<TrainingPair>> byDevice = new TreeMap<>();
    rows.training()
        .forEach(row -> byDevice.computeIfAbsent(row.device(), _ -> new ArrayList<>()).add(row));
    List<MeasuredPairs> sets = new ArrayList<>();
    byDevice.forEach((name, pairs) -> {
      Device device = device(name);
      List<Job> jobs = jobs(pairs, graphs, device);
      if (!jobs.isEmpty()) {
        sets.add(new MeasuredPairs(device, jobs, MeasuredPairs.speeds(pairs)));
      }
    });
    if (sets.isEmpty()) {
      throw InputException.malformed(
          "trace-empty", "There is no pair of training jobs that can be replayed.");
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

  private List<Job> jobs(List<TrainingPair> pairs, PairedJobs graphs, Device device) {
    Map<String, Job> jobs = new TreeMap<>();
    for (TrainingPair pair : pairs) {
      jobs.computeIfAbsent(pair.own().name(), _ -> job(pair.own(), graphs, device));
    }
    return jobs.values().stream()
        .filter(job -> job.memory() != null || job.predicted() != null)
        .toList();
  }

  private Job job(TrainingPair.Job job, PairedJobs graphs, Device device) {
    Prediction predicted =
        graphs.profile(job, device.id()).map(profile -> predict(profile, device)).orElse(null);
    TrainingPair.Usage usage = job.usage();
    return usage == null
        ? new Job(job.name(), null, null, predicted)
        : new Job(
            job.name(),
            Utilization.ofPercent(usage.utilizationPercent()),
            MemorySize.ofBytesRoundedUp(usage.memoryMebibytes() * BYTES_PER_MEBIBYTE),
            predicted);
  }

  private Prediction predict(ProfileRow profile, Device device) {
    return predictor
        .predict(profile.features(), profile.settings(), device)
        .withWork(GraphWork.of(profile.features()));
  }
}

package dev.cotenant.simulator.replay;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Truth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The jobs of one product as arrivals. A job that may not share becomes a member for each of its
 * GPUs; each holds a whole GPU and starts by itself.
 */
final class Workload {
  /** The configuration of jobs that may not share. */
  private static final String WHOLE = "whole GPU";

  private static final String KNOWN = "job of ";
  private static final int MAX_ARRIVALS = 5_000_000;

  private final Device device;
  private final List<RecordedJob> jobs;
  private final SpeedTruth truth;
  private final List<Arrival> arrivals = new ArrayList<>();
  private final List<Integer> jobOfArrival = new ArrayList<>();
  private long unknown;

  /**
   * @param jobs by submission
   * @param start of the recording
   */
  Workload(Device device, List<RecordedJob> jobs, Instant start, SpeedTruth truth) {
    this.device = device;
    this.jobs = jobs;
    this.truth = truth;
    EarlierRuns earlier = new EarlierRuns(device.id());
    for (int number = 0; number < jobs.size(); number++) {
      RecordedJob job = jobs.get(number);
      Duration at = Duration.between(start, job.times().submitted());
      if (isShareable(job, device)) {
        Map<DeviceId, Prediction> predictions =
            earlier.at(job).map(found -> Map.of(device.id(), found)).orElse(Map.of());
        unknown += predictions.isEmpty() ? 1 : 0;
        add(job, at, predictions);
        jobOfArrival.add(number);
        earlier.add(job);
      } else {
        for (int i = 0; i < job.allocation().gpus(); i++) {
          add(job, at, Map.of());
          jobOfArrival.add(number);
        }
      }
    }
  }

  /** Whether a job requests one GPU, on which its utilization and peak memory were measured. */
  static boolean isShareable(RecordedJob job, Device device) {
    MemorySize peak = job.usage().peakMemory();
    return job.allocation().gpus() == 1
        && job.usage().utilization() != null
        && peak != null
        && peak.isAtMost(device.memory());
  }

  boolean mayShare(String one, String other) {
    return !one.equals(WHOLE)
        && !other.equals(WHOLE)
        && truth.mayShare(recorded(one), recorded(other));
  }

  /** The pace of the jobs in one draw of errors. */
  SpeedModel speeds(int draw) {
    SpeedModel speeds = truth.draw(draw);
    return (own, others, product) ->
        others.isEmpty()
            ? 1
            : speeds.speed(
                recorded(own), others.stream().map(Workload::recorded).toList(), product);
  }

  private static Phase.Load recorded(Phase.Load load) {
    return new Phase.Load(recorded(load.kind()), load.utilizationPercent());
  }

  /** The configuration of the recorded job. */
  private static String recorded(String configuration) {
    return configuration.startsWith(KNOWN)
        ? configuration.substring(KNOWN.length())
        : configuration;
  }

  private void add(RecordedJob job, Duration at, Map<DeviceId, Prediction> predictions) {
    if (arrivals.size() == MAX_ARRIVALS) {
      throw InputException.tooLarge(
          "too-many-jobs",
          "The recording has more than "
              + MAX_ARRIVALS
              + " GPUs of jobs: replay a shorter time or fewer jobs.");
    }
    String name = String.valueOf(arrivals.size());
    boolean shareable = isShareable(job, device);
    MemorySize peak = job.usage().peakMemory();
    MemorySize memory = shareable && peak != null ? peak : device.memory();
    MemorySize requested = job.usage().requestedMemory();
    String configuration = shareable ? configuration(job, name) : WHOLE;
    Utilization utilization = job.usage().utilization();
    double percent = shareable && utilization != null ? utilization.percent() : 100;
    arrivals.add(
        new Arrival(
            at,
            new Submission(
                name, configuration, requested == null ? memory : requested, predictions),
            Truth.of(Phase.of(job.times().run(), new Phase.Load(configuration, percent), memory))));
  }

  /** A job without a model or image recurs never. */
  private static String configuration(RecordedJob job, String name) {
    String known = job.origin().configuration();
    return known.isEmpty() ? "job " + name : KNOWN + known;
  }

  /** Jobs that may share, of whose configuration no run had ended when they came. */
  long unknown() {
    return unknown;
  }

  Device device() {
    return device;
  }

  List<RecordedJob> jobs() {
    return jobs;
  }

  List<Arrival> arrivals() {
    return arrivals;
  }

  /** Index of an arrival's job. */
  int job(Submission submission) {
    return jobOfArrival.get(arrival(submission));
  }

  /** The index of an arrival. */
  static int arrival(Submission submission) {
    return Integer.parseInt(submission.name());
  }

  /** The most GPUs that jobs held at a time. */
  int mostHeld() {
    List<Change> changes = new ArrayList<>(2 * jobs.size());
    for (RecordedJob job : jobs) {
      changes.add(new Change(job.times().started(), job.allocation().gpus()));
      changes.add(new Change(job.times().ended(), -job.allocation().gpus()));
    }
    changes.sort(Change.ORDER);
    int held = 0;
    int most = 0;
    for (Change change : changes) {
      held += change.gpus();
      most = Math.max(most, held);
    }
    return most;
  }

  private record Change(Instant at, int gpus) {
    /** At one instant jobs end before others start. */
    static final Comparator<Change> ORDER =
        Comparator.comparing(Change::at).thenComparingInt(Change::gpus);
  }
}

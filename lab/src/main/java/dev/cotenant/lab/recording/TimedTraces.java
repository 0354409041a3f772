package dev.cotenant.lab.recording;

import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.lab.pairs.PairSets;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.event.Draws;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.RecordedJob.Allocation;
import dev.cotenant.simulator.replay.RecordedJob.Extent;
import dev.cotenant.simulator.replay.RecordedJob.Origin;
import dev.cotenant.simulator.replay.RecordedJob.Times;
import dev.cotenant.simulator.replay.RecordedJob.Usage;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.Recording.Finding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of published traces. Times are the trace's own; where it has none, as sets of measured
 * pairs, arrivals and durations are drawn, and a finding states the model and its seed.
 */
public final class TimedTraces {
  /*
   * Drawn times are those of the preset lucid-durations: Poisson arrivals, 50 an hour, and
   * log-normal durations with a median of 30 min and a mean of 3 h, cut at 48 h.
   */
  private static final int JOBS = 1_000;
  private static final long SEED = 1;
  private static final double SECONDS_BETWEEN = 72;
  private static final double MEDIAN_SECONDS = 1_800;
  private static final double DEVIATION = Math.sqrt(2 * StrictMath.log(6));
  private static final double MAX_SECONDS = 48 * 3_600;
  private static final double MILLIS = 1_000;

  /** The cards of 48 GB and the anonymous GPUs of the two clusters. */
  private static final String OF_SERIES = "l40s";

  private static final String OF_CLUSTER = "t4";

  private final DeviceCatalogue devices;

  public TimedTraces(DeviceCatalogue devices) {
    this.devices = devices;
  }

  /**
   * The recordings of a trace, one for each device of measured pairs.
   *
   * @throws dev.cotenant.domain.InputException where nothing can be replayed
   */
  public List<Recording> of(Trace trace) {
    return switch (trace) {
      case Trace.Pairs pairs -> pairs(pairs);
      case Trace.Series series -> List.of(series(series));
      case Trace.Cluster(ClusterTrace cluster) -> List.of(cluster(cluster));
    };
  }

  private List<Recording> pairs(Trace.Pairs measured) {
    List<Recording> recordings = new ArrayList<>();
    for (var set :
        new PairSets(devices, Predictor.builtIn()).ofShipped(measured.rows(), measured.graphs())) {
      PairWorld world = new PairWorld(set);
      if (!world.configurations().isEmpty()) {
        recordings.add(pairs(measured.format() + " on " + world.device().id(), world));
      }
    }
    return recordings;
  }

  private static Recording pairs(String source, PairWorld world) {
    List<PairWorld.Configuration> drawnFrom = world.configurations();
    Draws draws = new Draws(SEED);
    List<RecordedJob> jobs = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < JOBS; i++) {
      at += draws.exponential(SECONDS_BETWEEN);
      PairWorld.Configuration drawn = drawnFrom.get(draws.index(drawnFrom.size()));
      double run = Math.clamp(draws.logNormal(MEDIAN_SECONDS, DEVIATION), 1, MAX_SECONDS);
      jobs.add(
          new RecordedJob(
              new Origin("", "job-" + i, drawn.name()),
              times(instant(at), instant(at), instant(at + run)),
              new Allocation(1, world.device().id()),
              new Usage(
                  null,
                  drawn.memory(),
                  Utilization.ofPercentClipped(drawn.utilizationPercent()),
                  drawn.isMeasured())));
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(
        new Finding(
            JOBS,
            "job",
            "with drawn times, since the set has none: Poisson arrivals, 50 an hour, log-normal"
                + " durations of median 30 min and mean 3 h, at most 48 h, configurations uniform,"
                + " seed "
                + SEED));
    add(
        findings,
        drawnFrom.stream().filter(configuration -> !configuration.isMeasured()).count(),
        "configuration",
        "not measured alone: predicted utilization and memory stand in");
    return new Recording(source, jobs, Map.of(), findings, new MeasuredSpeeds(world));
  }

  private Recording series(Trace.Series trace) {
    List<RecordedJob> jobs = new ArrayList<>();
    SortedSet<String> products = new TreeSet<>();
    long unmeasured = 0;
    for (RecordedDevice pod : trace.recorded().devices()) {
      List<MemorySample> samples = pod.series().samples();
      Utilization utilization = trace.utilization().get(pod.name());
      unmeasured += utilization == null ? 1 : 0;
      Instant start = samples.getFirst().at();
      if (start.isBefore(samples.getLast().at())) {
        Device device = devices.require(trace.devices().getOrDefault(pod.name(), OF_SERIES));
        products.add(device.id().value());
        jobs.add(
            new RecordedJob(
                new Origin("", pod.name(), ""),
                times(start, start, samples.getLast().at()),
                new Allocation(1, device.id()),
                new Usage(null, peak(samples), utilization)));
      }
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(
        new Finding(
            jobs.size(),
            "pod",
            "from first to last sample, on " + String.join(", ", products) + " GPUs"));
    add(findings, unmeasured, "pod", "without utilization: whole under every policy");
    add(findings, trace.recorded().rejected().size(), "row", "left out");
    return new Recording(trace.recorded().format(), jobs, Map.of(), findings);
  }

  private static MemorySize peak(List<MemorySample> samples) {
    return samples.stream().map(MemorySample::used).reduce(MemorySize.ZERO, MemorySize::max);
  }

  private Recording cluster(ClusterTrace trace) {
    Device device = devices.require(OF_CLUSTER);
    List<RecordedJob> jobs = new ArrayList<>();
    long withoutGpu = 0;
    long withoutRun = 0;
    for (ClusterTrace.Pod pod : trace.pods()) {
      ClusterTrace.Run run = pod.run();
      if (pod.gpus() == 0) {
        withoutGpu++;
      } else if (run == null) {
        withoutRun++;
      } else {
        jobs.add(job(pod, run, device));
      }
    }
    int gpus = trace.nodes().stream().mapToInt(ClusterTrace.Node::gpus).sum();
    List<Finding> findings = new ArrayList<>();
    add(findings, withoutGpu, "pod", "without GPUs: left out");
    add(findings, withoutRun, "pod", "never scheduled, or deleted at once: left out");
    add(
        findings,
        jobs.size(),
        "job",
        "on a stand-in product, "
            + device.id()
            + ", since the trace does not name it; utilization and memory of shares of a GPU were"
            + " not recorded: the requested share stands in for both and for the configuration");
    add(findings, trace.rejected().size(), "row", "left out");
    return new Recording(trace.name(), jobs, Map.of(device.id(), gpus), findings);
  }

  private static RecordedJob job(ClusterTrace.Pod pod, ClusterTrace.Run run, Device device) {
    double share = (double) pod.gpuMilli() / ClusterTrace.WHOLE_GPU_MILLI;
    return new RecordedJob(
        new Origin("", pod.name(), pod.isShare() ? pod.gpuMilli() + "/1000 of a GPU" : ""),
        times(
            Instant.ofEpochSecond(pod.createdSeconds()),
            Instant.ofEpochSecond(run.scheduledSeconds()),
            Instant.ofEpochSecond(run.deletedSeconds())),
        new Allocation(pod.gpus(), device.id()),
        pod.isShare() ? usage(device.memory().times(share), share) : Usage.UNKNOWN);
  }

  private static Usage usage(@Nullable MemorySize memory, double share) {
    return new Usage(memory, memory, Utilization.ofPercent(Percent.WHOLE * share), false);
  }

  private static void add(List<Finding> findings, long count, String noun, String text) {
    if (count > 0) {
      findings.add(new Finding(count, noun, text));
    }
  }

  private static Times times(Instant submitted, Instant started, Instant ended) {
    return new Times(submitted, started, ended, Extent.WHOLE);
  }

  private static Instant instant(double seconds) {
    return Instant.ofEpochMilli(Math.round(seconds * MILLIS));
  }
}

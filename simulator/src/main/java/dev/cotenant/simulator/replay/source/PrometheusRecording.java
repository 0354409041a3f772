package dev.cotenant.simulator.replay.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceNames;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.source.ChunkedQueries.Part;
import dev.cotenant.simulator.replay.source.ChunkedQueries.Sampling;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reconstructs the jobs of a cluster from a server that speaks the Prometheus HTTP API: pods and
 * their GPU requests, starts and ends from kube-state-metrics, utilization and used memory from
 * DCGM's exporter. Reads chunk by chunk; memory grows with GPUs and pods, not with samples.
 */
public final class PrometheusRecording {
  private static final Duration MIN_GAP = Duration.ofMinutes(5);
  private static final int GAP_STEPS = 5;
  private static final String KUBE = "missing: kube_";

  private final PrometheusSettings settings;
  private final Span span;
  private final DeviceNames names;

  /**
   * The time that is read.
   *
   * @param end not in the future
   * @param length of the history, at least a chunk's step
   * @param step between two samples, at least the interval of scrapes
   */
  public record Span(Instant end, Duration length, Duration step) {
    private static final Duration MAX_LENGTH = Duration.ofDays(400);

    public Span {
      if (step.toSeconds() < 1 || step.compareTo(Duration.ofHours(1)) > 0) {
        throw new IllegalArgumentException("step must be 1 s to 1 h, is " + step);
      }
      if (length.compareTo(step) < 0 || length.compareTo(MAX_LENGTH) > 0) {
        throw new IllegalArgumentException(
            "history must be a step to " + MAX_LENGTH.toDays() + " days, is " + length);
      }
      end = Instant.ofEpochSecond(end.getEpochSecond() / step.toSeconds() * step.toSeconds());
    }

    Instant start() {
      return end.minus(length);
    }
  }

  public PrometheusRecording(PrometheusSettings settings, Span span, DeviceNames names) {
    this.settings = settings;
    this.span = span;
    this.names = names;
  }

  /**
   * Reads the history.
   *
   * @param progress takes a line before each chunk
   * @throws InputException ({@code metrics-unavailable}) where the server fails, ({@code
   *     metrics-missing}) where it lacks an exporter, ({@code too-many-series})
   */
  public Recording read(Consumer<String> progress) {
    SampleFaults faults = new SampleFaults();
    long gap = Math.max(MIN_GAP.toMillis(), GAP_STEPS * span.step().toMillis());
    PodHistory pods = new PodHistory(span.end().toEpochMilli());
    GpuHistory gpus = new GpuHistory(pods, gap, settings.metrics().bytesPerUnit(), faults);
    try (PrometheusHistory history = new PrometheusHistory(settings)) {
      List<Part> missing =
          new ChunkedQueries(history, settings.metrics(), span, progress).read(parts(gpus, pods));
      requireSeries(gpus, pods);
      return new Reconstruction(settings.url().toString(), span, names)
          .of(gpus, pods, faults, effects(missing, pods), history.warnings());
    }
  }

  /** Without any pod of kube-state-metrics, one finding says so. */
  private static List<String> effects(List<Part> missing, PodHistory pods) {
    return missing.stream()
        .map(Part::effect)
        .filter(effect -> !effect.isEmpty())
        .filter(effect -> !(pods.pods().isEmpty() && effect.startsWith(KUBE)))
        .toList();
  }

  /** Pods before GPUs: their starts and ends part the samples of a name. */
  private List<Part> parts(GpuHistory gpus, PodHistory pods) {
    Metrics metrics = settings.metrics();
    return List.of(
        new Part(HistoryQueries::requests, Sampling.EVERY_STEP, pods::requests, ""),
        ofPods(HistoryQueries.CREATED, pods::created, "pods count as submitted when they start"),
        ofPods(HistoryQueries.STARTED, pods::started, "the first sample counts as the start"),
        new Part(
            HistoryQueries::completions,
            Sampling.EVERY_STEP,
            pods::completed,
            kube(HistoryQueries.COMPLETED, "the last sample counts as the end")),
        ofPods(HistoryQueries.RESTARTS, pods::restarts, "restarts are not counted"),
        new Part(
            HistoryQueries::owners,
            Sampling.AT_THE_END,
            pods::owner,
            kube(HistoryQueries.OWNER, "jobs of one owner are recognised by their image alone")),
        new Part(
            HistoryQueries::images,
            Sampling.AT_THE_END,
            pods::image,
            kube(HistoryQueries.CONTAINER, "jobs of one model are recognised by owner alone")),
        new Part(
            HistoryQueries::utilization,
            Sampling.EVERY_STEP,
            gpus::utilization,
            dcgm(metrics.utilization(), "every job holds whole GPUs under every policy")),
        new Part(
            HistoryQueries::used,
            Sampling.EVERY_STEP,
            gpus::used,
            dcgm(metrics.used(), "every job holds whole GPUs under every policy")),
        new Part(
            HistoryQueries::free,
            Sampling.EVERY_STEP,
            gpus::free,
            dcgm(metrics.free(), "products of one name count with their least memory")));
  }

  private static Part ofPods(String metric, PrometheusHistory.Reader reader, String effect) {
    return new Part(
        queries -> queries.newest(metric), Sampling.AT_THE_END, reader, kube(metric, effect));
  }

  private static String kube(String metric, String effect) {
    return "missing: " + metric + " of pods with GPUs (kube-state-metrics); " + effect;
  }

  private static String dcgm(String metric, String effect) {
    return "missing: " + metric + " with the label UUID (dcgm-exporter); " + effect;
  }

  private void requireSeries(GpuHistory gpus, PodHistory pods) {
    if (!gpus.gpus().isEmpty() && (!pods.pods().isEmpty() || gpus.hasWorkloads())) {
      return;
    }
    List<String> missing = new ArrayList<>();
    if (gpus.gpus().isEmpty()) {
      missing.add(
          settings.metrics().used()
              + " and "
              + settings.metrics().utilization()
              + " with the labels UUID and modelName (dcgm-exporter)");
    } else {
      missing.add(
          settings.metrics().used()
              + " with the labels pod and namespace (dcgm-exporter with"
              + " DCGM_EXPORTER_KUBERNETES=true)");
    }
    if (pods.pods().isEmpty()) {
      missing.add(
          HistoryQueries.REQUESTS
              + "{resource=\"nvidia_com_gpu\"} with the labels namespace and pod"
              + " (kube-state-metrics)");
    }
    throw InputException.notFound(
        "metrics-missing",
        settings.url()
            + " has no series "
            + String.join(", and no ", missing)
            + " from "
            + span.start()
            + " to "
            + span.end()
            + ": install and scrape what is missing, or state other names.");
  }
}

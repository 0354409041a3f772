package dev.cotenant.engine.sizing;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.sizing.SizingModel;
import dev.cotenant.forecast.sizing.SizingWindows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Recommends the memory of workloads that run, from what their pods used.
 *
 * <p>A model learned from windows of all pods is applied to the last window of each; per workload
 * the largest pod counts, up to the memory of its GPUs.
 *
 * @param window period of the samples, and of the recommendations' validity
 * @param step between samples
 * @param level probability that the recommendations suffice
 * @param price hourly price of a GPU by product, as named by the driver; NaN if unknown
 */
public record RightSizing(
    Duration window, Duration step, Coverage level, ToDoubleFunction<String> price) {
  private static final int STRIDES = 8;
  private static final int STEPS = 288;
  private static final int SILENT_STEPS = 3;
  private static final Duration MIN_SILENCE = Duration.ofMinutes(10);

  /**
   * Recommendations.
   *
   * @param workloads those that free most first; those whose request is not known last
   * @param skipped one line per workload without a recommendation
   * @param missing one line per missing kind of series
   */
  public record Result(List<Recommendation> workloads, List<String> skipped, List<String> missing) {
    public Result {
      workloads = List.copyOf(workloads);
      skipped = List.copyOf(skipped);
      missing = List.copyOf(missing);
    }
  }

  /** The interval of samples for a window: a 288th, at least that of scrapes. */
  public static Duration step(Duration window, Duration scrapes) {
    Duration step = Duration.ofSeconds(Math.max(1, window.toSeconds() / STEPS));
    return step.compareTo(scrapes) < 0 ? scrapes : step;
  }

  /**
   * Recommends.
   *
   * @param recorded what pods requested and used
   * @param predicted upper bounds at admission by {@code namespace/pod}; for other pods the filled
   *     bound applies
   * @param now end of what was recorded
   */
  public Result of(UsageHistory.Recorded recorded, Map<String, MemorySize> predicted, Instant now) {
    Map<String, List<PodUsage>> workloads = new TreeMap<>();
    recorded
        .pods()
        .forEach(pod -> workloads.computeIfAbsent(pod.workload(), _ -> new ArrayList<>()).add(pod));
    List<RecordedDevice> series =
        recorded.pods().stream()
            .filter(pod -> !pod.used().isEmpty() && !pod.reserves())
            .map(PodUsage::recorded)
            .toList();
    SizingWindows windows = new SizingWindows(window, window.dividedBy(STRIDES), step);
    WalkForward history = new WalkForward(windows, level, series);
    SizingModel model = history.learned(now);
    Map<String, WalkForward.Score> scores = history.scores(now);
    double probability = probability(history.disjoint());
    List<Recommendation> found = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    workloads.forEach((name, pods) -> {
      List<PodUsage> running = pods.stream().filter(pod -> runs(pod, now)).toList();
      OptionalDouble enough =
          model == null ? OptionalDouble.empty() : enough(running, windows, model, now);
      if (running.stream().anyMatch(PodUsage::reserves)) {
        skipped.add(
            name
                + ": a server of a language model allocates all memory that it gets: see learn"
                + " vllm-metrics and GET /v1/kv-caches");
      } else if (enough.isPresent()) {
        Workload workload = new Workload(pods, running, enough.getAsDouble());
        WalkForward.Score score = scores.getOrDefault(name, WalkForward.Score.NONE);
        found.add(recommendation(workload, predicted, probability, score));
      } else if (!running.isEmpty()) {
        skipped.add(name + ": " + why(running, model != null));
      }
    });
    found.sort(
        Comparator.comparing(
            (Recommendation one) -> Optional.ofNullable(one.freed()).orElse(Long.MIN_VALUE),
            Comparator.reverseOrder()));
    return new Result(found, skipped, recorded.missing());
  }

  /** Pods of a workload, the running ones, and the memory that suffices for each. */
  private record Workload(List<PodUsage> pods, List<PodUsage> running, double enough) {}

  private String why(List<PodUsage> running, boolean isLearned) {
    int shared = running.stream().mapToInt(PodUsage::sharedSamples).sum();
    String beside =
        shared == 0 ? "" : ", and " + shared + " samples show other pods on its GPUs too";
    return isLearned
        ? "has samples of less than two fifths of the last window of " + window + beside
        : "no pod has samples of two windows of " + window + beside;
  }

  private boolean runs(PodUsage pod, Instant now) {
    Duration silence = step.multipliedBy(SILENT_STEPS);
    Duration longest = silence.compareTo(MIN_SILENCE) < 0 ? MIN_SILENCE : silence;
    return !pod.lastSeen().isBefore(now.minus(longest));
  }

  private static OptionalDouble enough(
      List<PodUsage> running, SizingWindows windows, SizingModel model, Instant now) {
    return running.stream()
        .filter(pod -> !pod.used().isEmpty())
        .flatMap(pod ->
            windows.past(pod.recorded(), now).stream()
                .map(past -> Math.min((double) pod.capacity().bytes(), model.bytes(past))))
        .mapToDouble(Double::doubleValue)
        .max();
  }

  /** Conformal probability: the rank of the level among this number of windows. */
  private double probability(double windows) {
    double rank = Math.min(windows, Math.ceil((windows + 1) * level.fraction()));
    return Math.min(level.fraction(), rank / (windows + 1));
  }

  private Recommendation recommendation(
      Workload workload,
      Map<String, MemorySize> predicted,
      double probability,
      WalkForward.Score score) {
    PodUsage first = workload.running.getFirst();
    long[] used =
        workload.pods.stream()
            .flatMap(pod -> pod.used().samples().stream())
            .map(MemorySample::used)
            .mapToLong(MemorySize::bytes)
            .sorted()
            .toArray();
    long recommended =
        Math.ceilDiv((long) Math.ceil(workload.enough), MemorySize.MIB) * MemorySize.MIB;
    Long requested =
        workload.running.stream()
            .flatMap(pod -> Optional.ofNullable(pod.requested()).stream())
            .map(MemorySize::bytes)
            .max(Long::compare)
            .orElse(null);
    Long bound =
        workload.running.stream()
            .flatMap(pod ->
                Optional.ofNullable(predicted.get(pod.namespace() + "/" + pod.name()))
                    .or(() -> Optional.ofNullable(pod.predicted()))
                    .stream())
            .map(MemorySize::bytes)
            .max(Long::compare)
            .orElse(null);
    int gpus = workload.running.stream().mapToInt(PodUsage::gpus).sum();
    Long freed = requested == null ? null : (requested - recommended) * gpus;
    double hour = price.applyAsDouble(first.product());
    return new Recommendation(
        first.namespace(),
        first.owner(),
        first.product(),
        workload.running.size(),
        gpus,
        requested,
        bound,
        quantile(used, 0.5),
        quantile(used, 0.99),
        quantile(used, 1),
        recommended,
        probability,
        freed,
        freed == null || Double.isNaN(hour) ? null : hour * freed / first.capacity().bytes(),
        score.tested(),
        score.exceeded(),
        Collections.max(workload.running.stream().map(PodUsage::lastSeen).toList()).toString());
  }

  private static long quantile(long[] sorted, double fraction) {
    return sorted[Math.max(0, (int) Math.ceil(fraction * sorted.length) - 1)];
  }
}

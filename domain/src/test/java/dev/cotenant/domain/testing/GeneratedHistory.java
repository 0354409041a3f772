package dev.cotenant.domain.testing;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Generates the history of a cluster as DCGM's exporter and kube-state-metrics export it: jobs of
 * eight configurations follow each other on every GPU, one in ten holds two GPUs. The same seed
 * gives the same history.
 */
public final class GeneratedHistory {
  private static final long STEP = 120;
  private static final int CONFIGURATIONS = 8;
  private static final int TOTAL_MIB = 40_500;

  private final Instant end;
  private final Duration length;
  private final int gpus;
  private final List<Pod> pods = new ArrayList<>();
  private int made;

  /** A pod on one or two neighbouring GPUs; times in seconds. */
  public record Pod(String name, int configuration, int gpu, int gpus, long start, long end) {
    /** Mean utilization in percent. */
    public int utilization() {
      return 15 + 10 * configuration;
    }

    /** Used memory. */
    public int mebibytes() {
      return 3_000 + 2_500 * configuration;
    }
  }

  /**
   * @param end of the history, on a whole step
   * @param gpus an even number
   */
  public GeneratedHistory(Instant end, Duration length, int gpus) {
    this.end = end;
    this.length = length;
    this.gpus = gpus;
    SplittableRandom random = new SplittableRandom(7);
    for (int gpu = 0; gpu < gpus; gpu += 2) {
      fill(gpu, random);
    }
  }

  /** Jobs on two neighbouring GPUs. */
  private void fill(int gpu, SplittableRandom random) {
    long[] free = {begin() + 600, begin() + 600};
    while (Math.min(free[0], free[1]) < end.getEpochSecond() - 7_200) {
      int first = free[0] <= free[1] ? 0 : 1;
      int held = random.nextInt(10) == 0 ? 2 : 1;
      long start =
          (held == 2 ? Math.max(free[0], free[1]) : free[first]) + STEP * random.nextInt(30);
      long last = start + STEP * (15 + random.nextInt(300));
      int at = held == 2 ? gpu : gpu + first;
      pods.add(new Pod("train-" + ++made, random.nextInt(CONFIGURATIONS), at, held, start, last));
      free[0] = held == 2 || first == 0 ? last + 5 * STEP : free[0];
      free[1] = held == 2 || first == 1 ? last + 5 * STEP : free[1];
    }
    pods.removeIf(pod -> pod.end() > end.getEpochSecond());
  }

  private long begin() {
    return end.getEpochSecond() - length.toSeconds();
  }

  /** All pods, none of which runs at an end of the history. */
  public List<Pod> pods() {
    return pods;
  }

  /** The interval of samples. */
  public static Duration step() {
    return Duration.ofSeconds(STEP);
  }

  /** Writes it in the OpenMetrics text format. */
  public Path write(Path file) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      metric(out, "DCGM_FI_DEV_GPU_UTIL", text -> uses(text, pod -> pod.utilization()));
      metric(out, "DCGM_FI_DEV_FB_USED", text -> uses(text, pod -> pod.mebibytes()));
      metric(out, "DCGM_FI_DEV_FB_FREE", this::free);
      metric(out, "kube_pod_container_resource_requests", this::requests);
      once(out, "kube_pod_created", "", pod -> pod.start() - 60);
      once(out, "kube_pod_start_time", "", Pod::start);
      once(out, "kube_pod_completion_time", "", Pod::end);
      once(out, "kube_pod_container_status_restarts_total", ",container=\"main\"", _ -> 0);
      metric(out, "kube_pod_owner", text -> pods.forEach(pod -> labelled(text, pod, owner(pod))));
      metric(
          out,
          "kube_pod_container_info",
          text -> pods.forEach(pod -> labelled(text, pod, image(pod))));
      out.println("# EOF");
    }
    return file;
  }

  private interface Figure {
    long of(Pod pod);
  }

  private static void metric(PrintWriter out, String name, Consumer<Lines> lines) {
    out.println("# TYPE " + name + " gauge");
    lines.accept((labels, value, at) -> out.println(name + "{" + labels + "} " + value + " " + at));
  }

  private interface Lines {
    void add(String labels, long value, long at);
  }

  private void uses(Lines lines, Figure figure) {
    for (Pod pod : pods) {
      for (int gpu = pod.gpu(); gpu < pod.gpu() + pod.gpus(); gpu++) {
        String labels =
            gpu(gpu) + ",exported_namespace=\"team\",exported_pod=\"" + pod.name() + "\"";
        for (long at = pod.start(); at <= pod.end(); at += STEP) {
          lines.add(labels, figure.of(pod), at);
        }
      }
    }
  }

  /** Of a GPU once a pod, when it starts. */
  private void free(Lines lines) {
    for (int gpu = 0; gpu < gpus; gpu++) {
      for (Pod pod : pods) {
        if (pod.gpu() <= gpu && gpu < pod.gpu() + pod.gpus()) {
          lines.add(gpu(gpu), TOTAL_MIB - pod.mebibytes(), pod.start());
        }
      }
    }
  }

  private static String gpu(int gpu) {
    return String.format(
        Locale.ROOT,
        "UUID=\"GPU-%03d\",Hostname=\"node-%d\",modelName=\"NVIDIA A100-SXM4-40GB\"",
        gpu,
        gpu / 8);
  }

  private void requests(Lines lines) {
    for (Pod pod : pods) {
      String labels =
          kubernetes(pod)
              + ",container=\"main\",resource=\"nvidia_com_gpu\",node=\"node-"
              + pod.gpu() / 8
              + "\"";
      for (long at = pod.start(); at <= pod.end(); at += STEP) {
        lines.add(labels, pod.gpus(), at);
      }
    }
  }

  private void once(PrintWriter out, String name, String labels, Figure figure) {
    metric(
        out,
        name,
        lines ->
            pods.forEach(pod -> lines.add(kubernetes(pod) + labels, figure.of(pod), pod.end())));
  }

  private static void labelled(Lines lines, Pod pod, String label) {
    lines.add(kubernetes(pod) + label, 1, pod.end());
  }

  private static String owner(Pod pod) {
    return ",owner_kind=\"Job\",owner_name=\"train-" + pod.name().substring(6) + "\"";
  }

  private static String image(Pod pod) {
    return ",container=\"main\",image=\"team/model-" + pod.configuration() + ":1\"";
  }

  private static String kubernetes(Pod pod) {
    return "namespace=\"team\",pod=\"" + pod.name() + "\",uid=\"" + pod.name() + "\"";
  }
}

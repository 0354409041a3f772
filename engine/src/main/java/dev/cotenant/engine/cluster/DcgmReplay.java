package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A recorded cluster in the form of DCGM's exporter: one sample at a time, cyclically. GPUs without
 * samples are left out, as by the exporter.
 */
public final class DcgmReplay {
  private final List<GpuReading> gpus;
  private final Duration interval;

  /**
   * @param interval how long each sample is shown, positive
   */
  public DcgmReplay(RecordedCluster cluster, Duration interval) {
    if (!interval.isPositive()) {
      throw new IllegalArgumentException("interval must be positive, is " + interval);
    }
    this.gpus = cluster.gpus();
    this.interval = interval;
  }

  /** The text of {@code /metrics} so long after the replay began. */
  public String metrics(Duration elapsed) {
    long sample = elapsed.toNanos() / interval.toNanos();
    StringBuilder used = header("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).");
    StringBuilder free = header("DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).");
    StringBuilder busy = header("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).");
    for (int i = 0; i < gpus.size(); i++) {
      GpuReading gpu = gpus.get(i);
      List<MemorySample> samples = gpu.usedMemory().samples();
      if (!samples.isEmpty()) {
        long usedMib = samples.get((int) (sample % samples.size())).used().bytes() / MemorySize.MIB;
        String labels = labels(gpu, i);
        line(used, "DCGM_FI_DEV_FB_USED", labels, usedMib);
        line(
            free, "DCGM_FI_DEV_FB_FREE", labels, gpu.capacity().bytes() / MemorySize.MIB - usedMib);
        if (gpu.tenancy() instanceof Tenancy.Shared(var tenants)) {
          double sum = tenants.stream().mapToDouble(t -> t.utilization().mean().percent()).sum();
          line(busy, "DCGM_FI_DEV_GPU_UTIL", labels, Math.round(Math.min(100, sum)));
        }
      }
    }
    return used.append(free).append(busy).toString();
  }

  private static StringBuilder header(String name, String help) {
    return new StringBuilder("# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n");
  }

  private static void line(StringBuilder out, String name, String labels, long value) {
    out.append(name).append(labels).append(' ').append(value).append('\n');
  }

  private static String labels(GpuReading gpu, int number) {
    return String.format(
        Locale.ROOT,
        "{gpu=\"%d\",UUID=\"%s\",device=\"nvidia%d\",modelName=\"%s\",Hostname=\"%s\"}",
        number,
        escaped(gpu.uuid()),
        number,
        escaped(gpu.device().productName()),
        escaped(gpu.node()));
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}

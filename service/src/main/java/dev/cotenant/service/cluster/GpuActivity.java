package dev.cotenant.service.cluster;

import dev.cotenant.admission.pod.MetricQuery;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.engine.risk.SpeedSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The activity of a GPU in the metrics server, as DCGM exports it. */
public final class GpuActivity {
  /** Memory and SM activity, and power above idle. */
  static final List<SpeedSource> SOURCES =
      List.of(SpeedSource.DRAM_ACTIVITY, SpeedSource.SM_ACTIVITY, SpeedSource.POWER);

  /** The least that stands out from what an idle GPU shows. */
  private static final double MIN = 0.01;

  private static final double MAX_WATTS = 10_000;

  private static final Pattern UUID = Pattern.compile("[A-Za-z0-9-]{1,128}");

  private final String matchers;

  /**
   * @param matchers added to each selector, such as {@code cluster="a"}; may be empty
   */
  public GpuActivity(String matchers) {
    this.matchers = matchers.isBlank() ? "" : matchers + ", ";
  }

  /** Whether its name can be part of an expression. */
  static boolean isReadable(GpuSnapshot gpu) {
    return UUID.matcher(gpu.uuid()).matches();
  }

  /** The mean over a window, without a result where the newest sample is stale. */
  String promQl(SpeedSource source, String uuid, Duration window) {
    String name =
        Objects.requireNonNull(
            switch (source) {
              case DRAM_ACTIVITY -> "DCGM_FI_PROF_DRAM_ACTIVE";
              case SM_ACTIVITY -> "DCGM_FI_PROF_SM_ACTIVE";
              case POWER -> "DCGM_FI_DEV_POWER_USAGE";
              case PROGRESS, DURATION -> null;
            },
            () -> source + " is not the product of the GPU");
    String series = name + "{" + matchers + "UUID=\"" + uuid + "\"}";
    String mean = "avg(" + MetricQuery.mean(series, window) + ")";
    return source == SpeedSource.POWER ? mean + " - min(min_over_time(" + series + "[1d]))" : mean;
  }

  static boolean isActivity(SpeedSource source, double value) {
    return source == SpeedSource.POWER
        ? value >= 1 && value <= MAX_WATTS
        : value >= MIN && value <= 1;
  }
}

package dev.cotenant.interference.partition;

import dev.cotenant.domain.colocation.SoloLatency;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Solo measurements of a workload: latency over batch and share, and, if measured, L2 and memory
 * bandwidth over throughput.
 *
 * @param surface latency
 * @param lines utilizations; null where not measured
 */
public record MeasuredSolo(SoloSurface surface, @Nullable UsageLines lines) {
  /** Fits profile points of one workload. */
  public static SoloFit<MeasuredSolo> fit(List<SoloLatency> runs) {
    return switch (SoloSurface.fit(points(runs))) {
      case NotFitted<SoloSurface>(String reason) -> new NotFitted<>(reason);
      case Fitted<SoloSurface>(SoloSurface surface) ->
          new Fitted<>(new MeasuredSolo(surface, lines(runs).orElse(null)));
    };
  }

  /** The runs as points of a surface. */
  public static List<SoloPoint> points(List<SoloLatency> runs) {
    return runs.stream()
        .map(run -> new SoloPoint(run.batch(), run.sharePercent(), run.latencyMillis()))
        .toList();
  }

  private static Optional<UsageLines> lines(List<SoloLatency> runs) {
    List<UsageLines.Point> points = new ArrayList<>();
    for (SoloLatency run : runs) {
      Double l2 = run.l2Percent();
      Double bandwidth = run.bandwidthPercent();
      if (l2 != null && bandwidth != null) {
        double rate = Milliseconds.PER_SECOND * run.batch() / run.latencyMillis();
        points.add(new UsageLines.Point(rate, l2, bandwidth));
      }
    }
    return UsageLines.fit(points);
  }

  /** L2 and bandwidth alone; empty where not measured. */
  public Optional<Usage> usage(int batch, double sharePercent) {
    UsageLines known = lines;
    return known == null
        ? Optional.empty()
        : Optional.of(
            known.at(Milliseconds.PER_SECOND * batch / surface.millis(batch, sharePercent)));
  }
}

package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What services were measured to use of whole GPUs alone: L2 and memory bandwidth, which gpu-lets'
 * interference factor is made of [gpu-lets, section 4.4]. SM utilization does not enter it.
 *
 * @param measured one or more batches of each service on each device; of two at one batch the later
 *     counts
 */
public record GletUsage(List<Measured> measured) {
  /** Nothing was measured. */
  public static final GletUsage NONE = new GletUsage(List.of());

  private static final double PERCENT = 100;

  public GletUsage {
    measured = List.copyOf(measured);
  }

  /**
   * One measurement.
   *
   * @param service its name in the fleet
   * @param device the device's id
   * @param batch samples, at least 1
   * @param l2Percent L2 utilization of the whole GPU, 0 to 100
   * @param bandwidthPercent memory-bandwidth utilization of the whole GPU, 0 to 100
   */
  public record Measured(
      String service, String device, int batch, double l2Percent, double bandwidthPercent) {
    public Measured {
      if (batch < 1) {
        throw new IllegalArgumentException("batch must be at least 1, is " + batch);
      }
      requirePercent("l2Percent", l2Percent);
      requirePercent("bandwidthPercent", bandwidthPercent);
    }

    private static void requirePercent(String name, double value) {
      if (!(value >= 0 && value <= PERCENT)) {
        throw new IllegalArgumentException(name + " must be in [0, 100], is " + value);
      }
    }

    private Usage usage() {
      return new Usage(l2Percent / PERCENT, bandwidthPercent / PERCENT);
    }
  }

  /** The measurements of one service on one device; empty where there are none. */
  Optional<Curve> of(String service, String device) {
    NavigableMap<Integer, Usage> byBatch = new TreeMap<>();
    for (Measured one : measured) {
      if (one.service().equals(service) && one.device().equals(device)) {
        byBatch.put(one.batch(), one.usage());
      }
    }
    return byBatch.isEmpty() ? Optional.empty() : Optional.of(new Curve(byBatch));
  }

  /** Straight between measured batches, level beyond them. */
  static final class Curve {
    private final NavigableMap<Integer, Usage> byBatch;

    private Curve(NavigableMap<Integer, Usage> byBatch) {
      this.byBatch = byBatch;
    }

    Usage at(int batch) {
      Map.Entry<Integer, Usage> below = byBatch.floorEntry(batch);
      Map.Entry<Integer, Usage> above = byBatch.ceilingEntry(batch);
      if (below == null || above == null) {
        return (below == null ? byBatch.firstEntry() : byBatch.lastEntry()).getValue();
      }
      double span = above.getKey() - below.getKey();
      double part = span == 0 ? 0 : (batch - below.getKey()) / span;
      return new Usage(
          between(below.getValue().l2Fraction(), above.getValue().l2Fraction(), part),
          between(
              below.getValue().bandwidthFraction(), above.getValue().bandwidthFraction(), part));
    }

    private static double between(double low, double high, double part) {
      return low + part * (high - low);
    }
  }
}

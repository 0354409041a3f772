package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Share;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How much longer a step takes in a part of a device than on the whole of it.
 *
 * @param points by MPS share, ascending, up to the whole device; times never grow with the share
 * @param slices by MIG instance; empty where that is not known of the device
 */
public record ShareCurve(List<Point> points, List<Slice> slices) {
  /**
   * One share.
   *
   * @param share of the device's compute; memory bandwidth is not partitioned
   * @param stepFactor time of a step over that on the whole device, at least 1
   * @param busyFactor time in which kernels run, over that on the whole device, at least 1
   */
  public record Point(Share share, double stepFactor, double busyFactor) {
    /** The whole device. */
    public static final Point WHOLE = new Point(Share.WHOLE, 1, 1);
  }

  /**
   * A MIG instance, which has its own part of the memory bandwidth.
   *
   * @param computeSlices 1 to 7
   * @param stepFactor time of a step over that on the whole device, at least 1
   */
  public record Slice(int computeSlices, double stepFactor) {}

  public ShareCurve {
    points = List.copyOf(points);
    slices = List.copyOf(slices);
  }

  /** Of MPS shares alone. */
  public ShareCurve(List<Point> points) {
    this(points, List.of());
  }

  /** The smallest share with a step time factor of at most this; else the whole device. */
  public Point least(double mostStepFactor) {
    return points.stream()
        .filter(point -> point.stepFactor() <= mostStepFactor)
        .findFirst()
        .orElse(Point.WHOLE);
  }

  /** How many times as long a step takes in a share; 1 where that is not known. */
  public double stepFactor(Share share) {
    return points.stream()
        .filter(point -> point.share().equals(share))
        .mapToDouble(Point::stepFactor)
        .findFirst()
        .orElse(1);
  }

  /** How many times as long a step takes in a MIG instance; empty where that is not known. */
  public OptionalDouble inSlice(int computeSlices) {
    return slices.stream()
        .filter(slice -> slice.computeSlices() == computeSlices)
        .mapToDouble(Slice::stepFactor)
        .findFirst();
  }
}

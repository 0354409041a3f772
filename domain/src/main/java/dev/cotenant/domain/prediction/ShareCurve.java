package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Share;
import java.util.List;

/**
 * How much longer a step takes in an MPS partition than on the whole device.
 *
 * @param points by share, ascending, up to the whole device; times never grow with the share
 */
public record ShareCurve(List<Point> points) {
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

  public ShareCurve {
    points = List.copyOf(points);
  }

  /** The least share in which a step takes at most so many times as long; else the whole device. */
  public Point least(double mostStepFactor) {
    return points.stream()
        .filter(point -> point.stepFactor() <= mostStepFactor)
        .findFirst()
        .orElse(Point.WHOLE);
  }
}

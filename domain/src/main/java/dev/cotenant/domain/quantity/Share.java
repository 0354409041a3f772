package dev.cotenant.domain.quantity;

import dev.cotenant.domain.InputException;
import java.util.Locale;

/**
 * A partition's part of a GPU's compute, such as an MPS client's. Exact, so that shares that fill a
 * GPU add up to it.
 *
 * @param permille thousandths of the GPU, 1 to 1000
 */
public record Share(int permille) implements Comparable<Share> {
  /** The smallest share and the step between shares. */
  public static final Share STEP = new Share(1);

  /** The whole GPU. */
  public static final Share WHOLE = new Share(1000);

  private static final double PERMILLE_PER_PERCENT = 10;

  public Share {
    if (permille < 1 || permille > 1000) {
      throw outOfRange(permille / PERMILLE_PER_PERCENT);
    }
  }

  /**
   * A share from what users write.
   *
   * @param percent 0.1 to 100 in steps of 0.1
   * @throws InputException ({@code share-out-of-range})
   */
  public static Share ofPercent(double percent) {
    if (!isShare(percent)) {
      throw outOfRange(percent);
    }
    return new Share((int) Math.rint(percent * PERMILLE_PER_PERCENT));
  }

  /** Whether it is 0.1 to 100 in steps of 0.1. */
  public static boolean isShare(double percent) {
    double permille = percent * PERMILLE_PER_PERCENT;
    double steps = Math.rint(permille);
    return steps >= 1 && steps <= WHOLE.permille && Math.abs(steps - permille) <= Rounding.SLACK;
  }

  /** The nearest share, at least one thousandth. */
  public static Share nearestToPercent(double percent) {
    return new Share((int) Math.clamp(Math.round(percent * PERMILLE_PER_PERCENT), 1L, 1000L));
  }

  /** The least share of at least so much, the whole GPU at most. */
  public static Share atLeastPercent(double percent) {
    return new Share(
        (int) Math.clamp(Math.ceil(percent * PERMILLE_PER_PERCENT - Rounding.SLACK), 1.0, 1000.0));
  }

  /** The largest share of at most so much, one thousandth at least. */
  public static Share atMostPercent(double percent) {
    return new Share(
        (int) Math.clamp(Math.floor(percent * PERMILLE_PER_PERCENT + Rounding.SLACK), 1.0, 1000.0));
  }

  /** Percent of the GPU. */
  public double percent() {
    return permille / PERMILLE_PER_PERCENT;
  }

  /** Percent of {@code count} such shares; may exceed 100. */
  public double percentOf(int count) {
    return count * permille / PERMILLE_PER_PERCENT;
  }

  /** So many of these together; at least one, and no more than the GPU holds. */
  public Share times(int count) {
    return new Share(count * permille);
  }

  /** How many of these a GPU holds. */
  public int perGpu() {
    return WHOLE.permille / permille;
  }

  private static InputException outOfRange(double percent) {
    return InputException.invalidArgument(
        "share-out-of-range",
        "A share must be from 0.1 to 100 % in steps of 0.1, is " + percent + ".");
  }

  @Override
  public int compareTo(Share other) {
    return Integer.compare(permille, other.permille);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.1f %%", percent());
  }
}

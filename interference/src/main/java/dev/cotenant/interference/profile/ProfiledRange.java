package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.List;

/**
 * The batches and shares between which a profile was measured; beyond them its curve says nothing.
 *
 * @param minBatch smallest batch, at least 1
 * @param maxBatch largest batch
 * @param minSharePercent smallest share, above 0 to 100; the largest is the whole device
 */
public record ProfiledRange(int minBatch, int maxBatch, double minSharePercent) {
  /**
   * Batches of 1 to 32, which BDA searches [InSS, section 5.3], in a tenth of the device or more.
   */
  public static final ProfiledRange STANDARD = new ProfiledRange(1, 32, 10);

  public ProfiledRange {
    if (minBatch < 1 || maxBatch < minBatch || !(minSharePercent > 0 && minSharePercent <= 100)) {
      throw InputException.invalidArgument(
          "profile-out-of-range",
          "A profiled range has batches from 1 and a smallest share above 0 to 100 %, is "
              + minBatch
              + " to "
              + maxBatch
              + " and "
              + minSharePercent
              + " %.");
    }
  }

  /** Range of these points, at least one. */
  public static ProfiledRange of(List<SoloPoint> points) {
    return new ProfiledRange(
        points.stream().mapToInt(SoloPoint::batch).min().orElseThrow(),
        points.stream().mapToInt(SoloPoint::batch).max().orElseThrow(),
        points.stream().mapToDouble(SoloPoint::sharePercent).min().orElseThrow());
  }

  /** Whether the range includes a batch at a share. */
  public boolean covers(int batch, double sharePercent) {
    return batch >= minBatch
        && batch <= maxBatch
        && sharePercent >= minSharePercent - Rounding.SLACK;
  }
}

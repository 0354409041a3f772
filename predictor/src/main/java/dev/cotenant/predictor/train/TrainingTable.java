package dev.cotenant.predictor.train;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Feature;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;
import java.util.Arrays;
import java.util.List;

/**
 * Rows that measure one target, with their feature vectors and values in log space.
 *
 * <p>Vectors are never written.
 */
public final class TrainingTable {
  private final Target target;
  private final List<ProfileRow> rows;
  private final float[][] vectors;
  private final double[] logs;

  private TrainingTable(Target target, List<ProfileRow> rows, float[][] vectors, double[] logs) {
    this.target = target;
    this.rows = rows;
    this.vectors = vectors;
    this.logs = logs;
  }

  /**
   * The rows that measure {@code target}, in the order given.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-device}) when a row ran on a device
   *     that the catalogue lacks
   */
  public static TrainingTable of(Target target, List<ProfileRow> all, DeviceCatalogue catalogue) {
    List<ProfileRow> rows = all.stream().filter(target::isMeasured).toList();
    float[][] vectors =
        rows.stream()
            .map(row -> Feature.encode(row.features(), catalogue.require(row.device().value())))
            .toArray(float[][]::new);
    double[] logs = rows.stream().mapToDouble(target::logOf).toArray();
    return new TrainingTable(target, rows, vectors, logs);
  }

  /** Vectors of utilization features without the runs that they are of. */
  public static TrainingTable ofVectors(float[][] vectors, double[] logs) {
    return new TrainingTable(Target.UTILIZATION, List.of(), vectors, logs);
  }

  /** The ranges of its features by device; the table must hold a row. */
  public TrainingRanges ranges() {
    return TrainingRanges.of(rows.stream().map(ProfileRow::device).toList(), vectors);
  }

  public Target target() {
    return target;
  }

  public int size() {
    return logs.length;
  }

  public List<ProfileRow> rows() {
    return rows;
  }

  /** The feature vector of one row; not to be written. */
  public float[] vector(int index) {
    return vectors[index];
  }

  float[][] vectors() {
    return vectors;
  }

  double meanLog() {
    return Arrays.stream(logs).average().orElseThrow();
  }

  /** The measured value of one row in log space. */
  public double log(int index) {
    return logs[index];
  }
}

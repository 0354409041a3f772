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
 * <p>Vectors are shared between a table and its selections and are never written.
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

  /**
   * Vectors of utilization features without the runs that they are of; {@link #select} and {@link
   * #row} have nothing to answer.
   */
  public static TrainingTable ofVectors(float[][] vectors, double[] logs) {
    return new TrainingTable(Target.UTILIZATION, List.of(), vectors, logs);
  }

  /** The rows at these indices, in that order. */
  public TrainingTable select(int[] indices) {
    float[][] chosenVectors = new float[indices.length][];
    double[] chosenLogs = new double[indices.length];
    ProfileRow[] chosenRows = new ProfileRow[indices.length];
    for (int i = 0; i < indices.length; i++) {
      chosenVectors[i] = vectors[indices[i]];
      chosenLogs[i] = logs[indices[i]];
      chosenRows[i] = rows.get(indices[i]);
    }
    return new TrainingTable(target, List.of(chosenRows), chosenVectors, chosenLogs);
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

  public ProfileRow row(int index) {
    return rows.get(index);
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

package dev.cotenant.domain.prediction;

/**
 * The measured runs whose errors bound a prediction.
 *
 * @param name name of the group, such as {@code resnet on rtx-2080ti}
 * @param rows how many held-out errors it has, at least 1
 */
public record CalibrationGroup(String name, int rows) {
  public CalibrationGroup {
    if (rows < 1) {
      throw new IllegalArgumentException("rows must be at least 1, is " + rows);
    }
  }
}

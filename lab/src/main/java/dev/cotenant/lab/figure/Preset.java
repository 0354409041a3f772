package dev.cotenant.lab.figure;

import java.util.List;
import java.util.function.Consumer;

/** A published result that the lab repeats. The same seeds and data give the same cells. */
public interface Preset {
  /**
   * What a preset is.
   *
   * @param name on the command line
   * @param title in a sentence
   * @param source of the published figures
   * @param seeds by default
   */
  record Card(String name, String title, String source, int seeds) {}

  /**
   * Cells in reading order.
   *
   * @param seeds how many runs of each policy, at least 1
   * @param progress takes a line before each step
   */
  List<Cell> run(int seeds, Consumer<String> progress);

  /** The same under observation; a preset without runs of clusters reports its steps alone. */
  default List<Cell> run(int seeds, Watch watch) {
    return run(seeds, watch::step);
  }
}

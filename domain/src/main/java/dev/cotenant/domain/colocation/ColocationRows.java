package dev.cotenant.domain.colocation;

import java.util.List;
import java.util.stream.Stream;

/**
 * Everything read of one or more sets, and a line for each row that could not be used.
 *
 * @param solo inference workloads alone in partitions
 * @param pairs inference workloads in pairs of partitions
 * @param training training jobs in pairs on whole GPUs
 * @param cells utilizations of whole GPUs
 * @param profiling runs to find coefficients from
 * @param rejected {@code file:line: why}
 */
public record ColocationRows(
    List<SoloLatency> solo,
    List<PairLatency> pairs,
    List<TrainingPair> training,
    List<UtilizationCell> cells,
    List<ProfilingRuns> profiling,
    List<String> rejected) {
  public static final ColocationRows EMPTY =
      new ColocationRows(List.of(), List.of(), List.of(), List.of(), List.of());

  public ColocationRows {
    solo = List.copyOf(solo);
    pairs = List.copyOf(pairs);
    training = List.copyOf(training);
    cells = List.copyOf(cells);
    profiling = List.copyOf(profiling);
    rejected = List.copyOf(rejected);
  }

  /** Without profiling runs. */
  public ColocationRows(
      List<SoloLatency> solo,
      List<PairLatency> pairs,
      List<TrainingPair> training,
      List<UtilizationCell> cells,
      List<String> rejected) {
    this(solo, pairs, training, cells, List.of(), rejected);
  }

  /** These rows and then those. */
  public ColocationRows plus(ColocationRows more) {
    return new ColocationRows(
        join(solo, more.solo),
        join(pairs, more.pairs),
        join(training, more.training),
        join(cells, more.cells),
        join(profiling, more.profiling),
        join(rejected, more.rejected));
  }

  /** Number of usable rows; the profiling of a device counts as one. */
  public int size() {
    return solo.size() + pairs.size() + training.size() + cells.size() + profiling.size();
  }

  private static <T> List<T> join(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }
}

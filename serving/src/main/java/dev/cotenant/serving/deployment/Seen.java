package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What ran at one instant, as an executor of {@link Step}s saw it.
 *
 * @param sequence grows from one instant to the next
 * @param processes by id, including those that ended after a stop request
 */
public record Seen(long sequence, SortedMap<String, Running> processes) {
  public Seen {
    processes = Collections.unmodifiableSortedMap(new TreeMap<>(processes));
  }

  /** How far a process is. */
  public enum Phase {
    /** It holds its share and does not serve yet. */
    STARTING,
    /** It serves. */
    READY,
    /** Stopped; later starts with this id have no effect. */
    ENDED
  }

  /**
   * A process that serves a partition.
   *
   * @param gpu where
   * @param share in force
   * @param generation of the last step that it took
   */
  public record Running(String gpu, Share share, long generation, Phase phase) {}
}

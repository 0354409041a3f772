package dev.cotenant.lab.untimed;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A trace that can be replayed through policies. The same trace gives the same figures. */
public interface Replay {
  /** Policies in row order. */
  List<String> policies();

  /**
   * Replays the trace once for each policy that is wanted.
   *
   * @param wanted by name
   * @param progress takes the name of each policy before its turn
   */
  List<SimulationRow> run(Predicate<String> wanted, Consumer<String> progress);
}

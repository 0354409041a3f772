package dev.cotenant.lab.figure;

import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Totals;
import java.util.function.Consumer;
import java.util.function.Function;

/** Follows the runs of a preset, for progress and reports. */
public interface Watch {
  /**
   * One run.
   *
   * @param table to which it belongs
   * @param policy as in the table
   * @param index from 0 among all runs of the preset
   * @param runs of the preset in all
   * @param jobs in this run
   */
  record Run(String table, String policy, int index, int runs, long jobs) {}

  /** Takes a line before each step of a preset without runs of clusters. */
  void step(String text);

  /** A run starts; the observer sees its jobs. */
  Observer starts(Run run);

  void ended(Run run, Totals totals);

  /**
   * A run of request streams ended.
   *
   * @param table to which it belongs
   * @param policy as in the table
   */
  void served(String table, String policy, ServingTotals totals);

  /** Runs a world under observation. */
  default Totals watch(Run run, Function<Observer, Totals> world) {
    Totals totals = world.apply(starts(run));
    ended(run, totals);
    return totals;
  }

  /** Names the policy of each run. */
  static Watch of(Consumer<String> progress) {
    return new Watch() {
      @Override
      public void step(String text) {
        progress.accept(text);
      }

      @Override
      public Observer starts(Run run) {
        progress.accept(run.policy());
        return _ -> {};
      }

      @Override
      public void ended(Run run, Totals totals) {}

      @Override
      public void served(String table, String policy, ServingTotals totals) {}
    };
  }
}

package dev.cotenant.lab.risk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Jobs that come one by one and stay, on as many GPUs as are needed; at most two share, and only a
 * pair that was measured.
 */
final class PairStream {
  private final PairTable table;
  private final double limit;
  private final List<Integer> single = new ArrayList<>();
  private final Totals totals = new Totals();

  PairStream(PairTable table, double limit) {
    this.table = table;
    this.limit = limit;
  }

  /** Inputs and decision of a rule. */
  @FunctionalInterface
  interface Rule {
    /**
     * The place of the partner among the candidates; empty for a GPU of its own.
     *
     * @param candidates jobs that run alone, that the newcomer was measured with, and beside which
     *     its memory fits
     */
    Optional<Integer> partner(int job, List<Integer> candidates);
  }

  /** Counts of placements. */
  static final class Totals {
    private long jobs;
    private long gpus;
    private long shared;
    private long broken;

    double jobsPerGpu() {
      return (double) jobs / gpus;
    }

    /** Percent of jobs on a GPU on which one is slowed beyond the limit. */
    double harmedPercent() {
      return 200.0 * broken / jobs;
    }

    /** Share of the shared GPUs on which a job is slowed beyond the limit; 0 where none is. */
    double brokenShare() {
      return shared == 0 ? 0 : (double) broken / shared;
    }

    double shared() {
      return shared;
    }

    Totals copy() {
      return since(new Totals());
    }

    /** What came after. */
    Totals since(Totals before) {
      Totals since = new Totals();
      since.jobs = jobs - before.jobs;
      since.gpus = gpus - before.gpus;
      since.shared = shared - before.shared;
      since.broken = broken - before.broken;
      return since;
    }
  }

  /** Places a job; the partner, empty where it has a GPU of its own. */
  Optional<Integer> place(int job, Rule rule) {
    List<Integer> places = new ArrayList<>();
    List<Integer> candidates = new ArrayList<>();
    for (int i = 0; i < single.size(); i++) {
      int other = single.get(i);
      if (table.areMeasured(job, other) && table.fit(job, other)) {
        places.add(i);
        candidates.add(other);
      }
    }
    Optional<Integer> chosen = rule.partner(job, candidates);
    totals.jobs++;
    if (chosen.isEmpty()) {
      totals.gpus++;
      single.add(job);
      return Optional.empty();
    }
    int partner = candidates.get(chosen.get());
    single.remove(/* index */ (int) places.get(chosen.get()));
    totals.shared++;
    totals.broken += table.isSlowed(job, partner, limit) ? 1 : 0;
    return Optional.of(partner);
  }

  Totals totals() {
    return totals;
  }

  /** Configurations uniform, as replays of pairs draw them. */
  static int[] uniform(int count, int jobs, long seed) {
    Random random = new Random(seed);
    int[] drawn = new int[count];
    for (int i = 0; i < count; i++) {
      drawn[i] = random.nextInt(jobs);
    }
    return drawn;
  }
}

package dev.cotenant.lab.risk;

/** Prefers, of the jobs that do not slow each other beyond a limit, the one with least partners. */
final class FewestPartners {
  private final PairTable table;
  private final double limit;
  private final int[] partners;

  FewestPartners(PairTable table, double limit) {
    this.table = table;
    this.limit = limit;
    partners = new int[table.jobs().size()];
    for (int i = 0; i < partners.length; i++) {
      for (int j = 0; j < partners.length; j++) {
        partners[i] += mayShare(i, j) ? 1 : 0;
      }
    }
  }

  private boolean mayShare(int one, int other) {
    return table.areMeasured(one, other)
        && table.fit(one, other)
        && !table.isSlowed(one, other, limit);
  }

  /** Negative where the two may not share. */
  int rank(int job, int other) {
    return mayShare(job, other) ? partners.length - partners[other] : -1;
  }
}

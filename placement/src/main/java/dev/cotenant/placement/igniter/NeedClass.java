package dev.cotenant.placement.igniter;

import java.util.List;

/**
 * Needs of one lower bound that are alike enough to share what is known of the GPUs: either the
 * same in everything, or of nearly the same demand.
 */
final class NeedClass {
  /** How alike. */
  enum Likeness {
    /** Equal except for the name: results apply to all members. */
    SAME,
    /** In demand, nearly. */
    NEARLY
  }

  private final SlackTree tree;
  private final Likeness likeness;
  private final Need example;
  private double l2Percent = Double.POSITIVE_INFINITY;
  private double powerWatts = Double.POSITIVE_INFINITY;
  private long memoryBytes = Long.MAX_VALUE;

  /**
   * @param members at least one, of the same lower bound
   * @param places how many GPUs there may be
   */
  NeedClass(List<Need> members, Likeness likeness, int places, RaiseBound bound) {
    this.likeness = likeness;
    tree = new SlackTree(places);
    example = members.getFirst();
    for (Need member : members) {
      double active = bound.activeMillis(member, member.lowerUnits());
      l2Percent = Math.min(l2Percent, RaiseBound.l2Percent(member, active));
      powerWatts = Math.min(powerWatts, RaiseBound.powerWatts(member, active));
      memoryBytes = Math.min(memoryBytes, member.memoryBytes());
    }
  }

  SlackTree tree() {
    return tree;
  }

  Likeness likeness() {
    return likeness;
  }

  /** Least memory of the members. */
  long memoryBytes() {
    return memoryBytes;
  }

  /** The least that one of them makes everyone on the bound's GPU be raised. */
  int raise(RaiseBound bound) {
    int tenants = bound.raiseOfTenants(l2Percent, powerWatts);
    return likeness == Likeness.SAME
        ? tenants + bound.raiseOf(example, powerWatts, bound.surroundings())
        : tenants;
  }
}

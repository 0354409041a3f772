package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.List;

/** All devices of a plan in the making. */
final class Packing {
  private static final int WINDOW = 400;

  private final Groups groups;
  final List<Bin> bins = new ArrayList<>();

  /** Selects the device for a service among those with enough free capacity. */
  enum Rule {
    /** The one whose units grow least. */
    MIN_INCREASE,
    /** The first. */
    FIRST,
    /** The fullest bin afterwards. */
    FULLEST
  }

  Packing(Groups groups) {
    this.groups = groups;
  }

  Packing copy() {
    Packing copy = new Packing(groups);
    bins.forEach(bin -> copy.bins.add(bin.copy()));
    return copy;
  }

  int size() {
    return bins.size();
  }

  /** Puts a service where the rule says; false where no device, of the last opened, has room. */
  boolean place(int kind, Rule rule) {
    Bin best = null;
    int least = Integer.MAX_VALUE;
    for (Bin bin : bins.subList(Math.max(0, bins.size() - WINDOW), bins.size())) {
      int units = bin.with(kind);
      if (units == Groups.TOO_MANY) {
        continue;
      }
      int cost =
          switch (rule) {
            case MIN_INCREASE -> units - bin.units();
            case FIRST -> 0;
            case FULLEST -> -units;
          };
      if (cost < least) {
        least = cost;
        best = bin;
        if (rule == Rule.FIRST) {
          break;
        }
      }
    }
    if (best != null) {
      best.add(kind);
    }
    return best != null;
  }

  /** Puts a service where the rule says, or on a device of its own. */
  void placeOrOpen(int kind, Rule rule) {
    if (!place(kind, rule)) {
      bins.add(new Bin(groups, kind));
    }
  }
}

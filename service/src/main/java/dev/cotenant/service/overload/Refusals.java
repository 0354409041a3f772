package dev.cotenant.service.overload;

import java.util.HashSet;
import java.util.Set;

/**
 * Connections that were refused at the accept since the last measurement of lag. For one thread at
 * a time.
 */
final class Refusals {
  /** A refusal at the accept takes as long as a review that is only read. */
  static final int MAX = 8;

  private final Set<Object> peers = new HashSet<>();
  private int count;

  void add(Object peer) {
    count++;
    peers.add(peer);
  }

  void clear() {
    count = 0;
    peers.clear();
  }

  /** The next refusal is one too many. */
  void expect() {
    count = MAX - 1;
  }

  /**
   * Whether there are as many as may be, and all of these peers are among the refused: a closed
   * port shuts out none that would be admitted now.
   */
  boolean areMany(Set<Object> connected) {
    return count >= MAX && peers.containsAll(connected);
  }
}

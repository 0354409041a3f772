package dev.cotenant.service.overload;

import java.util.HashSet;
import java.util.Set;

/**
 * Connections that were refused at the accept since the last measurement of lag. Not thread safe.
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
   * Whether the limit is reached and all of these peers were refused: closing the port excludes no
   * peer that would be admitted.
   */
  boolean areMany(Set<Object> connected) {
    return count >= MAX && peers.containsAll(connected);
  }
}

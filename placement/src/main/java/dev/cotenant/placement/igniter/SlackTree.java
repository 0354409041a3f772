package dev.cotenant.placement.igniter;

/**
 * Places in a row, each in one of eight groups and with some slack; finds the first of a group with
 * enough slack after any place in logarithmic time.
 */
final class SlackTree {
  /*
   * A complete binary tree in an array, a long a node: byte g is 1 + the largest slack below it among
   * places of group g, 0 where there is none. Bytes stay below 128, so that all eight are compared at
   * once: (a | 0x80…) − b leaves the top bit of a byte exactly where a ≥ b there.
   */
  static final int GROUPS = 8;
  static final int MAX_SLACK = 126;
  private static final long TOPS = 0x8080_8080_8080_8080L;
  private static final int BYTE_BITS = 8;
  private static final int BYTE = 0xFF;

  private final int leaves;
  private final long[] nodes;

  SlackTree(int places) {
    leaves = Math.max(1, Integer.highestOneBit(Math.max(1, places - 1)) << 1);
    nodes = new long[2 * leaves];
  }

  /** Moves a place to a group, with a slack of 0 to {@link #MAX_SLACK}. */
  void set(int place, int group, int slack) {
    nodes[leaves + place] = (slack + 1L) << (BYTE_BITS * group);
    climb(place);
  }

  /** Takes a place out of every group. */
  void close(int place) {
    nodes[leaves + place] = 0;
    climb(place);
  }

  private void climb(int place) {
    for (int node = (leaves + place) / 2; node > 0; node /= 2) {
      long now = larger(nodes[2 * node], nodes[2 * node + 1]);
      if (now == nodes[node]) {
        return;
      }
      nodes[node] = now;
    }
  }

  private static long larger(long a, long b) {
    long top = ((a | TOPS) - b) & TOPS;
    long high = (top >>> (BYTE_BITS - 1)) * BYTE;
    return (a & high) | (b & ~high);
  }

  /** The first place from {@code from} on of a group with at least that slack; −1 for none. */
  int next(int from, int group, int slack) {
    if (from >= leaves) {
      return -1;
    }
    int shift = BYTE_BITS * group;
    int node = leaves + from;
    while (!has(node, shift, slack)) {
      while ((node & 1) == 1 && node > 1) {
        node /= 2;
      }
      if (node == 1) {
        return -1;
      }
      node++;
    }
    while (node < leaves) {
      node = has(2 * node, shift, slack) ? 2 * node : 2 * node + 1;
    }
    return node - leaves;
  }

  private boolean has(int node, int shift, int slack) {
    return (int) (nodes[node] >>> shift & BYTE) > slack;
  }
}

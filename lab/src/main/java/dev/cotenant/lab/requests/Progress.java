package dev.cotenant.lab.requests;

import java.util.Arrays;

/** Requests that consist of several inferences, by slot; slots are used again. */
final class Progress {
  private static final int INITIAL = 256;

  private long[] since = new long[INITIAL];
  private int[] streams = new int[INITIAL];
  private int[] stages = new int[INITIAL];
  private int[] left = new int[INITIAL];
  private boolean[] failed = new boolean[INITIAL];
  private int[] free = new int[INITIAL];
  private int freeCount;
  private int used;

  int open(int stream, long arrived) {
    if (freeCount == 0 && used == since.length) {
      grow();
    }
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    since[slot] = arrived;
    streams[slot] = stream;
    failed[slot] = false;
    return slot;
  }

  void begin(int slot, int stage, int parts) {
    stages[slot] = stage;
    left[slot] = parts;
  }

  /** One part has ended; whether it was the last of its stage. */
  boolean end(int slot, boolean dropped) {
    failed[slot] |= dropped;
    return --left[slot] == 0;
  }

  void close(int slot) {
    free[freeCount++] = slot;
  }

  long since(int slot) {
    return since[slot];
  }

  int stream(int slot) {
    return streams[slot];
  }

  int stage(int slot) {
    return stages[slot];
  }

  boolean hasFailed(int slot) {
    return failed[slot];
  }

  private void grow() {
    int length = 2 * since.length;
    since = Arrays.copyOf(since, length);
    streams = Arrays.copyOf(streams, length);
    stages = Arrays.copyOf(stages, length);
    left = Arrays.copyOf(left, length);
    failed = Arrays.copyOf(failed, length);
    free = Arrays.copyOf(free, length);
  }
}

package dev.cotenant.lab.requests;

import java.util.Arrays;

/** Waiting requests, first in first out: the instant of arrival and a tag of each. */
final class RequestRing {
  private static final int INITIAL = 64;

  private long[] since = new long[INITIAL];
  private int[] tags = new int[INITIAL];
  private int head;
  private int size;

  int size() {
    return size;
  }

  void add(long arrived, int tag) {
    if (size == since.length) {
      grow();
    }
    int slot = (head + size) & (since.length - 1);
    since[slot] = arrived;
    tags[slot] = tag;
    size++;
  }

  long headSince() {
    return since[head];
  }

  int headTag() {
    return tags[head];
  }

  void remove() {
    head = (head + 1) & (since.length - 1);
    size--;
  }

  private void grow() {
    int length = since.length;
    long[] longer = Arrays.copyOf(since, 2 * length);
    int[] more = Arrays.copyOf(tags, 2 * length);
    System.arraycopy(since, 0, longer, length, head);
    System.arraycopy(tags, 0, more, length, head);
    since = longer;
    tags = more;
  }
}

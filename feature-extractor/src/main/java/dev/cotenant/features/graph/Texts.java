package dev.cotenant.features.graph;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts in UTF-8 one after another, by number from 0; bytes instead of a string each. */
final class Texts {
  private static final int[] NO_ENDS = {};
  private static final byte[] NO_CONTENT = {};

  private byte[] content = NO_CONTENT;
  private int[] ends = NO_ENDS;
  private int count;

  /** Appends a text; returns its number. */
  int append(byte[] buffer, int from, int length) {
    int begin = begin(count);
    int end = Math.addExact(begin, length);
    if (end > content.length) {
      content = Arrays.copyOf(content, grown(content.length, end));
    }
    if (count == ends.length) {
      ends = Arrays.copyOf(ends, grown(ends.length, count + 1));
    }
    System.arraycopy(buffer, from, content, begin, length);
    ends[count] = end;
    return count++;
  }

  private static int grown(int capacity, int needed) {
    long half = capacity + (capacity >> 1) + 8L;
    return Math.clamp(half, needed, Integer.MAX_VALUE - 8);
  }

  boolean holds(int number, byte[] buffer, int from, int length) {
    int begin = begin(number);
    return ends[number] - begin == length
        && Arrays.equals(content, begin, begin + length, buffer, from, from + length);
  }

  String text(int number) {
    int begin = begin(number);
    return new String(content, begin, ends[number] - begin, StandardCharsets.UTF_8);
  }

  int length(int number) {
    return ends[number] - begin(number);
  }

  int count() {
    return count;
  }

  int bytes() {
    return begin(count);
  }

  private int begin(int number) {
    return number == 0 ? 0 : ends[number - 1];
  }
}

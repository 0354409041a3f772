package dev.cotenant.features.graph;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Distinct texts, numbered from 0 in the order in which they were first added. Not thread safe
 * while texts are added.
 */
public final class InternedNames {
  /** The number of no text. */
  public static final int NONE = -1;

  /*
   * An open hash table over the bytes, which are compared and never decoded. The hash folds 128-bit
   * products of eight bytes each with a key that differs from process to process, as the JDK's
   * immutable sets do, so that no file can be made whose names all collide; numbers follow the order
   * of adding and do not depend on it.
   */
  private static final VarHandle EIGHT_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long KEY = new SplittableRandom().nextLong();
  private static final long SECOND_KEY = new SplittableRandom().nextLong();
  private static final int[] EMPTY = {};

  private final Texts texts = new Texts();
  private int[] hashes = EMPTY;

  /** Numbers plus one; 0 where there is none. The length is a power of two. */
  private int[] slots = EMPTY;

  /** Number of a text, which is added if it is new. */
  public int add(byte[] buffer, int from, int length) {
    int hash = hash(buffer, from, length);
    if (slots.length > 0) {
      int slot = slot(hash, buffer, from, length);
      if (slots[slot] != 0) {
        return slots[slot] - 1;
      }
    }
    int number = texts.append(buffer, from, length);
    if (2 * (number + 1) > slots.length) {
      enlarge();
    }
    hashes[number] = hash;
    slots[slot(hash, buffer, from, length)] = number + 1;
    return number;
  }

  /** The same, where the empty text is none and has no number. */
  public int addOrNone(byte[] buffer, int from, int length) {
    return length == 0 ? NONE : add(buffer, from, length);
  }

  public int add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return add(bytes, 0, bytes.length);
  }

  /** Number of a text, {@link #NONE} where it was never added. */
  public int find(String text) {
    if (slots.length == 0) {
      return NONE;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return slots[slot(hash(bytes, 0, bytes.length), bytes, 0, bytes.length)] - 1;
  }

  /** The text with that number. */
  public String text(int number) {
    return texts.text(number);
  }

  /** How many there are. */
  public int count() {
    return texts.count();
  }

  /** Bytes of all texts together. */
  public int bytes() {
    return texts.bytes();
  }

  private void enlarge() {
    int capacity = Math.max(16, slots.length * 2);
    slots = new int[capacity];
    hashes = Arrays.copyOf(hashes, capacity / 2);
    for (int number = 0; number < texts.count() - 1; number++) {
      int slot = hashes[number] & (capacity - 1);
      while (slots[slot] != 0) {
        slot = (slot + 1) & (capacity - 1);
      }
      slots[slot] = number + 1;
    }
  }

  /** Where a text is, or the free slot where it belongs. */
  private int slot(int hash, byte[] buffer, int from, int length) {
    int slot = hash & (slots.length - 1);
    while (slots[slot] != 0) {
      int number = slots[slot] - 1;
      if (hashes[number] == hash && texts.holds(number, buffer, from, length)) {
        return slot;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private static int hash(byte[] buffer, int from, int length) {
    long hash = KEY ^ length;
    int index = from;
    int end = from + length;
    for (; index + 8 <= end; index += 8) {
      hash = fold(hash ^ (long) EIGHT_BYTES.get(buffer, index));
    }
    long rest = 0;
    for (; index < end; index++) {
      rest = (rest << 8) | (buffer[index] & 0xff);
    }
    hash = fold(hash ^ rest);
    return (int) (hash ^ (hash >>> 32));
  }

  private static long fold(long word) {
    long multiplier = SECOND_KEY | 1;
    return word * multiplier ^ Math.unsignedMultiplyHigh(word, multiplier);
  }
}

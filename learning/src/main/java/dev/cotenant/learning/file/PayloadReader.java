package dev.cotenant.learning.file;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the payload of a model file. No count is trusted: nothing is allocated for more than the
 * bytes that are left can hold.
 *
 * <p>Methods throw {@link BufferUnderflowException} where the payload ends early and {@link
 * IllegalArgumentException} for a number that is impossible.
 */
public final class PayloadReader {
  private final ByteBuffer in;

  PayloadReader(ByteBuffer in) {
    this.in = in;
  }

  /** A number of any size. */
  public int readInt() {
    return in.getInt();
  }

  /** A number of any size. */
  public long readLong() {
    return in.getLong();
  }

  /** A number, which may be infinite or not a number. */
  public double readDouble() {
    return in.getDouble();
  }

  /** A finite number. */
  public double readFinite() {
    double value = in.getDouble();
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a number in it is " + value);
    }
    return value;
  }

  /** So many finite numbers. */
  public double[] readDoubles(int count) {
    double[] values = new double[requireCount(count, Double.BYTES)];
    for (int i = 0; i < count; i++) {
      values[i] = readFinite();
    }
    return values;
  }

  /** So many numbers, which may be infinite or not a number. */
  public float[] readFloats(int count) {
    float[] floats = new float[requireCount(count, Float.BYTES)];
    in.asFloatBuffer().get(floats);
    in.position(in.position() + count * Float.BYTES);
    return floats;
  }

  /** So many finite numbers. */
  public float[] readFiniteFloats(int count) {
    float[] values = readFloats(count);
    float zero = 0;
    for (float value : values) {
      zero += 0 * value; // not a number where the value is none or infinite
    }
    if (zero != 0) {
      throw new IllegalArgumentException("a number in it is infinite or no number");
    }
    return values;
  }

  /** So many numbers of 16 bits. */
  public char[] readChars(int count) {
    char[] chars = new char[requireCount(count, Character.BYTES)];
    in.asCharBuffer().get(chars);
    in.position(in.position() + count * Character.BYTES);
    return chars;
  }

  /** So many bytes. */
  public byte[] readBytes(int count) {
    byte[] bytes = new byte[requireCount(count, 1)];
    in.get(bytes);
    return bytes;
  }

  /** Text behind the number of its bytes. */
  public String readText() {
    return new String(readBytes(in.getInt()), StandardCharsets.UTF_8);
  }

  /** Texts behind their number. */
  public List<String> readTexts() {
    int count = readCount(Integer.BYTES);
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(readText());
    }
    return texts;
  }

  /**
   * A count of items that follow.
   *
   * @param leastBytes least bytes per item
   */
  public int readCount(int leastBytes) {
    return requireCount(in.getInt(), leastBytes);
  }

  /** The product of two counts, neither of which is trusted. */
  public static int product(int count, int each) {
    long product = (long) count * each;
    if (product < 0 || product > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException("it states " + product + " numbers");
    }
    return (int) product;
  }

  private int requireCount(int count, int bytesEach) {
    if (count < 0 || (long) count * bytesEach > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return count;
  }

  void requireEnd() {
    if (in.hasRemaining()) {
      throw new IllegalArgumentException(in.remaining() + " bytes are left over");
    }
  }
}

package dev.cotenant.features.wire;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over protobuf wire format, in a byte array or a file of any size.
 *
 * <p>Bytes that are skipped are never read: of a file only a window of {@value #WINDOW_BYTES} bytes
 * is held. Every way in which the content can be wrong ends in an {@link InputException}. Not
 * thread safe.
 */
public final class WireInput {
  /** Wire format kinds [Protocol Buffers, Encoding]. */
  private static final int VARINT = 0;

  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;

  private static final int WINDOW_BYTES = 1 << 14;
  private static final int MAX_VARINT_BYTES = 10;

  private final String name;
  private final @Nullable FileChannel channel;
  private final long size;
  private final byte[] window;
  private long windowStart;
  private int windowLength;
  private long position;
  private int field;
  private int kind;
  private boolean recognised;
  private byte[] held;

  private WireInput(String name, @Nullable FileChannel channel, long size, byte[] window) {
    this.name = name;
    this.channel = channel;
    this.size = size;
    this.window = window;
    held = window;
    this.windowLength = channel == null ? window.length : 0;
  }

  /** Reads {@code content}, which must not change meanwhile; {@code name} is for messages. */
  public static WireInput of(byte[] content, String name) {
    return new WireInput(name, null, content.length, content);
  }

  /** Reads the first {@code size} bytes of an open file; {@code name} is for messages. */
  public static WireInput of(FileChannel channel, long size, String name) {
    return new WireInput(name, channel, size, new byte[WINDOW_BYTES]);
  }

  public String name() {
    return name;
  }

  public long size() {
    return size;
  }

  /** Where the cursor stands, in bytes from the start. */
  public long position() {
    return position;
  }

  /** Returns to a value of the current field that was skipped. */
  public void moveTo(long earlier) {
    position = earlier;
  }

  /** From now on errors say that a model is damaged rather than that this is no model. */
  public void markRecognised() {
    recognised = true;
  }

  /** Moves to the next field of the message that ends at {@code end}; false at its end. */
  public boolean nextField(long end) {
    if (position >= end) {
      if (position > end) {
        throw damaged("a field runs past the end of its message");
      }
      return false;
    }
    long tag = readVarint();
    field = (int) (tag >>> 3);
    kind = (int) (tag & 7);
    if (tag >>> 3 == 0 || tag >>> 32 != 0) {
      throw damaged("field number " + (tag >>> 3) + " is not valid");
    }
    return true;
  }

  /** Number of the field that {@link #nextField} moved to. */
  public int field() {
    return field;
  }

  public boolean isLengthDelimited() {
    return kind == LENGTH_DELIMITED;
  }

  /** The current field as an integer. */
  public long integer() {
    require(VARINT);
    return readVarint();
  }

  /** The current field as a 32-bit float. */
  public float floatNumber() {
    require(FIXED32);
    return Float.intBitsToFloat((int) littleEndian(4));
  }

  /** Enters the current field as a message or string; returns where it ends. */
  public long enter(long end) {
    require(LENGTH_DELIMITED);
    long length = readVarint();
    if (length < 0 || length > size - position) {
      throw truncated(length);
    }
    if (length > end - position) {
      throw damaged("a field of " + length + " bytes does not fit its message");
    }
    return position + length;
  }

  /** Receives bytes that are valid during the call only; returns their number. */
  @FunctionalInterface
  public interface BytesNumbering {
    int number(byte[] buffer, int from, int length);
  }

  /** The current field as text of at most {@code limit} bytes. */
  public String text(long end, int limit) {
    int length = enterShort(end, limit);
    int from = hold(length);
    return new String(held, from, length, StandardCharsets.UTF_8);
  }

  /** The current field as at most {@code limit} bytes. */
  public byte[] bytes(long end, int limit) {
    int length = enterShort(end, limit);
    int from = hold(length);
    return Arrays.copyOfRange(held, from, from + length);
  }

  /** The current field, of at most {@code limit} bytes, as the number that it is given. */
  public int number(long end, int limit, BytesNumbering numbering) {
    int length = enterShort(end, limit);
    int from = hold(length);
    return numbering.number(held, from, length);
  }

  private int enterShort(long end, int limit) {
    long length = enter(end) - position;
    if (length > limit) {
      throw InputException.tooLarge(
          "string-too-long",
          name + ": a name or constant of " + length + " bytes is over the limit of " + limit);
    }
    return (int) length;
  }

  /** Moves past the next bytes, which then lie in {@link #held} from the returned index on. */
  private int hold(int length) {
    long offset = position - windowStart;
    if (length > 0 && (offset < 0 || offset + length > windowLength)) {
      if (length > window.length) {
        return holdLong(length);
      }
      fill();
      offset = 0;
      if (length > windowLength) {
        throw truncated(0);
      }
    }
    position += length;
    held = window;
    return length == 0 ? 0 : (int) offset;
  }

  private int holdLong(int length) {
    held = new byte[length];
    int copied = 0;
    while (copied < length) {
      fill();
      int part = Math.min(windowLength, length - copied);
      System.arraycopy(window, 0, held, copied, part);
      copied += part;
      position += part;
    }
    return 0;
  }

  /** Length in bytes of the current field, which is skipped. */
  public long skipBytes(long end) {
    long fieldEnd = enter(end);
    long length = fieldEnd - position;
    position = fieldEnd;
    return length;
  }

  /** Every integer of the current repeated field, packed or not. */
  public void integers(long end, LongConsumer consumer) {
    if (kind != LENGTH_DELIMITED) {
      consumer.accept(integer());
      return;
    }
    long fieldEnd = enter(end);
    while (position < fieldEnd) {
      consumer.accept(readVarint());
    }
    position = fieldEnd;
  }

  /**
   * The bits of every fixed-width number of the current repeated field, packed or not.
   *
   * @param width 4 or 8 bytes
   */
  public void fixedNumbers(long end, int width, LongConsumer consumer) {
    if (kind != LENGTH_DELIMITED) {
      require(width == 4 ? FIXED32 : FIXED64);
      consumer.accept(littleEndian(width));
      return;
    }
    long fieldEnd = enter(end);
    while (fieldEnd - position >= width) {
      consumer.accept(littleEndian(width));
    }
    position = fieldEnd;
  }

  /** Skips the current field. */
  public void skip(long end) {
    switch (kind) {
      case VARINT -> readVarint();
      case FIXED64 -> position += 8;
      case FIXED32 -> position += 4;
      case LENGTH_DELIMITED -> position = enter(end);
      default -> throw damaged("wire type " + kind + " is not valid");
    }
    if (position > size) {
      throw truncated(0);
    }
  }

  /** The error for content that is not what a model holds at this point. */
  public InputException damaged(String what) {
    if (!recognised) {
      return InputException.malformed("not-onnx", name + ": not an ONNX model; " + what);
    }
    return InputException.malformed(
        "damaged", name + ": damaged at byte " + position + ", " + what + "; export it again");
  }

  private InputException truncated(long length) {
    if (!recognised) {
      return InputException.malformed("not-onnx", name + ": not an ONNX model");
    }
    String wanted = length > 0 ? ", a field of " + length + " bytes is cut off" : "";
    return InputException.malformed(
        "truncated", name + ": ends after " + size + " bytes" + wanted + "; copy it again");
  }

  private void require(int expected) {
    if (kind != expected) {
      throw damaged("field " + field + " has wire type " + kind + " instead of " + expected);
    }
  }

  private long readVarint() {
    long offset = position - windowStart;
    if (offset >= 0 && offset < windowLength && window[(int) offset] >= 0) {
      position++;
      return window[(int) offset];
    }
    return readLongVarint();
  }

  private long readLongVarint() {
    long result = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
      int next = readByte();
      result |= (long) (next & 0x7f) << (7 * i);
      if (next < 0x80) {
        return result;
      }
    }
    throw damaged("an integer is longer than " + MAX_VARINT_BYTES + " bytes");
  }

  private long littleEndian(int width) {
    long result = 0;
    for (int i = 0; i < width; i++) {
      result |= (long) readByte() << (8 * i);
    }
    return result;
  }

  private int readByte() {
    long offset = position - windowStart;
    if (offset < 0 || offset >= windowLength) {
      fill();
      offset = 0;
    }
    position++;
    return window[(int) offset] & 0xff;
  }

  private void fill() {
    if (channel == null || position >= size) {
      throw truncated(0);
    }
    int wanted = (int) Math.min(window.length, size - position);
    try {
      int count = 0;
      while (count < wanted) {
        int more = channel.read(ByteBuffer.wrap(window, count, wanted - count), position + count);
        if (more <= 0) {
          throw truncated(0);
        }
        count += more;
      }
      windowStart = position;
      windowLength = count;
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "unreadable-file", name + ": cannot be read", e);
    }
  }
}

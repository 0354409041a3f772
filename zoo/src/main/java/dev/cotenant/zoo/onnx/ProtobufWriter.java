package dev.cotenant.zoo.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes one protobuf message in wire format: varints, 32-bit floats and length-delimited bytes.
 */
public final class ProtobufWriter {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED_32 = 5;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** A field of type int32, int64 or enum. */
  public ProtobufWriter integer(int field, long value) {
    tag(field, VARINT);
    varint(value);
    return this;
  }

  public ProtobufWriter floating(int field, float value) {
    tag(field, FIXED_32);
    int bits = Float.floatToRawIntBits(value);
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      bytes.write(bits >>> shift);
    }
    return this;
  }

  public ProtobufWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  public ProtobufWriter message(int field, ProtobufWriter value) {
    return bytes(field, value.toByteArray());
  }

  public ProtobufWriter bytes(int field, byte[] value) {
    return begin(field, value.length).raw(value);
  }

  /** Begins a field of {@code length} bytes that follow. */
  public ProtobufWriter begin(int field, long length) {
    tag(field, LENGTH_DELIMITED);
    varint(length);
    return this;
  }

  /** Whole fields of another message, as fields of this one. */
  public ProtobufWriter raw(byte[] fields) {
    bytes.writeBytes(fields);
    return this;
  }

  public ProtobufWriter raw(ProtobufWriter fields) {
    return raw(fields.toByteArray());
  }

  /** Bytes so far. */
  public int size() {
    return bytes.size();
  }

  public byte[] toByteArray() {
    return bytes.toByteArray();
  }

  private void tag(int field, int wireType) {
    varint(((long) field << 3) | wireType);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes.write((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }
}

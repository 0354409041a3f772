package dev.cotenant.benchmarks;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes one protobuf message. Not thread safe. */
final class Message {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  Message integer(int field, long value) {
    varint((long) field << 3 | VARINT);
    return varint(value);
  }

  Message text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Message message(int field, Message value) {
    return bytes(field, value.toByteArray());
  }

  Message bytes(int field, byte[] value) {
    begin(field, value.length);
    return raw(value);
  }

  /** Begins a field of {@code length} bytes that follow. */
  Message begin(int field, long length) {
    varint((long) field << 3 | LENGTH_DELIMITED);
    return varint(length);
  }

  /** Whole fields. */
  Message raw(byte[] fields) {
    bytes.writeBytes(fields);
    return this;
  }

  byte[] toByteArray() {
    return bytes.toByteArray();
  }

  int size() {
    return bytes.size();
  }

  private Message varint(long value) {
    long rest = value;
    for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
      bytes.write((int) ((rest & 0x7f) | 0x80));
    }
    bytes.write((int) rest);
    return this;
  }
}

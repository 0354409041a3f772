package dev.cotenant.datasets.zoo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A small tensor whose elements are stored in the graph: shapes, axes, scalars.
 *
 * @param type element type
 * @param dims extents; none for a scalar
 * @param littleEndian the elements
 */
record TensorData(ElementType type, List<Integer> dims, ByteBuffer littleEndian) {
  TensorData {
    dims = List.copyOf(dims);
  }

  static TensorData scalar(float value) {
    return new TensorData(ElementType.FLOAT, List.of(), buffer(Float.BYTES).putFloat(value).flip());
  }

  static TensorData scalar(long value) {
    return new TensorData(ElementType.INT64, List.of(), buffer(Long.BYTES).putLong(value).flip());
  }

  static TensorData vector(int... values) {
    ByteBuffer buffer = buffer(values.length * Long.BYTES);
    IntStream.of(values).forEach(buffer::putLong);
    return new TensorData(ElementType.INT64, List.of(values.length), buffer.flip());
  }

  static TensorData vector(float... values) {
    ByteBuffer buffer = buffer(values.length * Float.BYTES);
    for (float value : values) {
      buffer.putFloat(value);
    }
    return new TensorData(ElementType.FLOAT, List.of(values.length), buffer.flip());
  }

  /** This vector as a matrix of one row. */
  TensorData asRow() {
    return new TensorData(type, List.of(1, dims.getFirst()), littleEndian);
  }

  byte[] toByteArray() {
    byte[] bytes = new byte[littleEndian.remaining()];
    littleEndian.duplicate().get(bytes);
    return bytes;
  }

  private static ByteBuffer buffer(int capacity) {
    return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }
}

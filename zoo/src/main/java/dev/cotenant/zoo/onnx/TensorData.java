package dev.cotenant.zoo.onnx;

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
public record TensorData(DataType type, List<Integer> dims, ByteBuffer littleEndian) {
  public TensorData {
    dims = List.copyOf(dims);
  }

  public static TensorData scalar(float value) {
    return new TensorData(DataType.FLOAT, List.of(), buffer(Float.BYTES).putFloat(value).flip());
  }

  public static TensorData scalar(long value) {
    return new TensorData(DataType.INT64, List.of(), buffer(Long.BYTES).putLong(value).flip());
  }

  public static TensorData vector(int... values) {
    ByteBuffer buffer = buffer(values.length * Long.BYTES);
    IntStream.of(values).forEach(buffer::putLong);
    return new TensorData(DataType.INT64, List.of(values.length), buffer.flip());
  }

  public static TensorData vector(float... values) {
    ByteBuffer buffer = buffer(values.length * Float.BYTES);
    for (float value : values) {
      buffer.putFloat(value);
    }
    return new TensorData(DataType.FLOAT, List.of(values.length), buffer.flip());
  }

  /** Numbers in 16 bits each, the nearest ones. */
  public static TensorData halves(List<Integer> dims, float... values) {
    ByteBuffer buffer = buffer(values.length * Short.BYTES);
    for (float value : values) {
      buffer.putShort(Float.floatToFloat16(value));
    }
    return new TensorData(DataType.FLOAT16, dims, buffer.flip());
  }

  /** This vector as a matrix of one row. */
  public TensorData asRow() {
    return new TensorData(type, List.of(1, dims.getFirst()), littleEndian);
  }

  public byte[] toByteArray() {
    byte[] bytes = new byte[littleEndian.remaining()];
    littleEndian.duplicate().get(bytes);
    return bytes;
  }

  private static ByteBuffer buffer(int capacity) {
    return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }
}

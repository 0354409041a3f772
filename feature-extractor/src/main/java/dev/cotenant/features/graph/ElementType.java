package dev.cotenant.features.graph;

/**
 * Element types of tensors, by the number that ONNX gives them [onnx.proto, TensorProto.DataType].
 */
public enum ElementType {
  UNDEFINED(0, 32, Family.OTHER),
  FLOAT(1, 32, Family.FLOATING),
  UINT8(2, 8, Family.NARROW_INTEGER),
  INT8(3, 8, Family.NARROW_INTEGER),
  UINT16(4, 16, Family.INTEGER),
  INT16(5, 16, Family.INTEGER),
  INT32(6, 32, Family.INTEGER),
  INT64(7, 64, Family.INTEGER),
  STRING(8, 64, Family.OTHER),
  BOOL(9, 8, Family.BOOLEAN),
  FLOAT16(10, 16, Family.FLOATING),
  DOUBLE(11, 64, Family.FLOATING),
  UINT32(12, 32, Family.INTEGER),
  UINT64(13, 64, Family.INTEGER),
  COMPLEX64(14, 64, Family.FLOATING),
  COMPLEX128(15, 128, Family.FLOATING),
  BFLOAT16(16, 16, Family.FLOATING),
  FLOAT8E4M3FN(17, 8, Family.FLOATING),
  FLOAT8E4M3FNUZ(18, 8, Family.FLOATING),
  FLOAT8E5M2(19, 8, Family.FLOATING),
  FLOAT8E5M2FNUZ(20, 8, Family.FLOATING),
  UINT4(21, 4, Family.NARROW_INTEGER),
  INT4(22, 4, Family.NARROW_INTEGER),
  FLOAT4E2M1(23, 4, Family.FLOATING),
  FLOAT8E8M0(24, 8, Family.FLOATING),
  UINT2(25, 2, Family.NARROW_INTEGER),
  INT2(26, 2, Family.NARROW_INTEGER);

  private enum Family {
    FLOATING,
    INTEGER,
    NARROW_INTEGER,
    BOOLEAN,
    OTHER
  }

  private static final ElementType[] BY_NUMBER = values();

  private final int number;
  private final int bits;
  private final Family family;

  ElementType(int number, int bits, Family family) {
    this.number = number;
    this.bits = bits;
    this.family = family;
  }

  /** The type with that ONNX number; {@link #UNDEFINED} where there is none. */
  public static ElementType of(long number) {
    return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[(int) number] : UNDEFINED;
  }

  public int number() {
    return number;
  }

  public boolean isFloating() {
    return family == Family.FLOATING;
  }

  /** Eight bits or fewer: what quantised weights are stored in. */
  public boolean isNarrowInteger() {
    return family == Family.NARROW_INTEGER;
  }

  public boolean isInteger() {
    return family == Family.INTEGER || family == Family.NARROW_INTEGER;
  }

  /** Bytes of that many elements, packed and rounded up; stops at {@link Long#MAX_VALUE}. */
  public long bytes(long elements) {
    if (bits % 8 == 0) {
      int width = bits / 8;
      return elements > Long.MAX_VALUE / width ? Long.MAX_VALUE : elements * width;
    }
    int perByte = 8 / bits;
    return elements / perByte + (elements % perByte == 0 ? 0 : 1);
  }
}

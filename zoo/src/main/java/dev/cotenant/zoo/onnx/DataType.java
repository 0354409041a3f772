package dev.cotenant.zoo.onnx;

/** Element types of tensors with their codes in {@code onnx.proto}, TensorProto.DataType. */
public enum DataType {
  FLOAT(1),
  INT64(7),
  FLOAT16(10);

  private final int code;

  DataType(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}

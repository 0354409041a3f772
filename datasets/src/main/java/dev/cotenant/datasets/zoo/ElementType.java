package dev.cotenant.datasets.zoo;

/** Element types of tensors with their codes in {@code onnx.proto}, TensorProto.DataType. */
enum ElementType {
  FLOAT(1),
  INT64(7);

  private final int code;

  ElementType(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}

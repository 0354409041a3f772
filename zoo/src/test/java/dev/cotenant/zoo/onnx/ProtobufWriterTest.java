package dev.cotenant.zoo.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProtobufWriterTest {
  /** The examples of the protobuf encoding guide: field 1 = 150, field 2 = "testing". */
  @Test
  void writesTheExamplesOfTheEncodingGuide() {
    assertThat(hex(new ProtobufWriter().integer(1, 150))).isEqualTo("089601");
    assertThat(hex(new ProtobufWriter().text(2, "testing"))).isEqualTo("120774657374696e67");
    assertThat(hex(new ProtobufWriter().message(3, new ProtobufWriter().integer(1, 150))))
        .isEqualTo("1a03089601");
  }

  /** A negative int64 takes ten bytes; field 20 needs a tag of two. */
  @Test
  void writesNegativeNumbersLargeFieldsAndFloats() {
    assertThat(hex(new ProtobufWriter().integer(3, -1))).isEqualTo("18ffffffffffffffffff01");
    assertThat(hex(new ProtobufWriter().integer(20, 7))).isEqualTo("a00107");
    assertThat(hex(new ProtobufWriter().integer(1, 0))).isEqualTo("0800");
    assertThat(hex(new ProtobufWriter().floating(2, 1f))).isEqualTo("150000803f");
  }

  private static String hex(ProtobufWriter message) {
    return HexFormat.of().formatHex(message.toByteArray());
  }
}

package dev.cotenant.zoo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A protobuf message read back naively, independent of the writer under test. */
record ReadMessage(List<Field> fields) {
  /** A field's number with its varint or fixed value, or its bytes. */
  record Field(int number, long value, ByteBuffer bytes) {}

  static ReadMessage parse(ByteBuffer source) {
    ByteBuffer input = source.slice().order(ByteOrder.LITTLE_ENDIAN);
    List<Field> fields = new ArrayList<>();
    while (input.hasRemaining()) {
      long tag = varint(input);
      int number = (int) (tag >>> 3);
      fields.add(
          switch ((int) tag & 7) {
            case 0 -> new Field(number, varint(input), ByteBuffer.allocate(0));
            case 2 -> new Field(number, 0, take(input, (int) varint(input)));
            case 5 -> new Field(number, input.getInt(), ByteBuffer.allocate(0));
            default -> throw new AssertionError("wire type " + (tag & 7));
          });
    }
    return new ReadMessage(List.copyOf(fields));
  }

  private static ByteBuffer take(ByteBuffer input, int length) {
    ByteBuffer part = input.slice(input.position(), length);
    input.position(input.position() + length);
    return part;
  }

  private static long varint(ByteBuffer input) {
    long result = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = input.get();
      result |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return result;
      }
    }
  }

  List<ReadMessage> messages(int number) {
    return all(number).map(field -> parse(field.bytes())).toList();
  }

  ReadMessage message(int number) {
    return messages(number).getFirst();
  }

  List<String> texts(int number) {
    return all(number)
        .map(field -> StandardCharsets.UTF_8.decode(field.bytes().slice()).toString())
        .toList();
  }

  String text(int number) {
    return texts(number).getFirst();
  }

  List<Long> integers(int number) {
    return all(number).map(Field::value).toList();
  }

  long integer(int number) {
    return integers(number).getFirst();
  }

  ByteBuffer bytes(int number) {
    return all(number).findFirst().orElseThrow().bytes();
  }

  private Stream<Field> all(int number) {
    return fields.stream().filter(field -> field.number() == number);
  }
}

package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One protobuf message in the only encoding that every parser reads alike: minimal varints, known
 * fields of their wire types, a singular field at most once.
 */
final class WireMessage {
  /** Of one field: nodes of all trees. */
  private static final int MAX_VALUES = 1 << 20;

  private static final long MAX_TAG = 0xFFFF_FFFFL;
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED_32 = 5;

  private final String name;
  private final ByteBuffer bytes;
  private final Map<Integer, Values> fields;

  /**
   * Allowed fields of ONNX messages: a number, v (varint), e (varint of an enum), f (32 bits) or s
   * (length-delimited), and {@code *} for repeated ones, which may be packed. Absent fields are
   * refused: functions, training, subgraphs, sparse tensors, tensors in attributes, quantization,
   * external data.
   */
  enum Kind {
    MODEL("1v 2s 3s 4s 5v 6s 7s 8s* 14s*"),
    GRAPH("1s* 2s 5s* 10s 11s* 12s* 13s* 16s*"),
    NODE("1s* 2s* 3s 4s 5s* 6s 7s 9s*"),
    ATTRIBUTE("1s 2f 3v 4s 7f* 8v* 9s* 13s 20e"),
    TENSOR("1v* 2e 4f* 8s 9s 10s* 12s 14e"),
    VALUE("1s 2s 3s 4s*");

    @SuppressWarnings("ImmutableEnumChecker") // filled by the constructor alone
    private final Map<Integer, String> types = new TreeMap<>();

    Kind(String fields) {
      for (String field : fields.split(" ", -1)) {
        String number = field.replaceAll("\\D", "");
        types.put(Integer.valueOf(number), field.substring(number.length()));
      }
    }

    boolean isEnum(int field) {
      return types.getOrDefault(field, "").startsWith("e");
    }

    boolean allows(int field, int wire, int earlier) {
      if (earlier >= MAX_VALUES) {
        return false;
      }
      String type = types.getOrDefault(field, "");
      boolean isRepeated = type.endsWith("*");
      return switch (wire) {
            case VARINT -> type.startsWith("v") || type.startsWith("e");
            case FIXED_32 -> type.startsWith("f");
            case LENGTH_DELIMITED -> type.startsWith("s") || (isRepeated && !type.isEmpty());
            default -> false;
          }
          && (isRepeated || earlier == 0);
    }
  }

  /** The values of one field, all of one wire type: numbers, or places of bytes. */
  private static final class Values {
    private final int wire;
    private long[] values = new long[1];
    private int count;

    Values(int wire) {
      this.wire = wire;
    }

    void add(long value) {
      if (count == values.length) {
        values = Arrays.copyOf(values, 2 * count);
      }
      values[count++] = value;
    }
  }

  /**
   * Parses all bytes.
   *
   * @param name of the file, for messages
   * @throws InputException ({@code not-onnx}, {@code regressor-not-allowed})
   */
  static WireMessage parse(Kind kind, ByteBuffer bytes, String name) {
    ByteBuffer rest = bytes.slice();
    Map<Integer, Values> fields = new TreeMap<>();
    while (rest.hasRemaining()) {
      long tag = varint(rest, name);
      if (tag < 0 || tag > MAX_TAG) {
        throw notOnnx(name);
      }
      int number = (int) (tag >>> 3);
      int wire = (int) (tag & 7);
      Values values = fields.computeIfAbsent(number, _ -> new Values(wire));
      if (!kind.allows(number, wire, values.count) || values.wire != wire) {
        throw GraphGuard.notAllowed(
            name, "has the field " + number + " of type " + wire + " in a message " + kind);
      }
      long value = wire == VARINT ? varint(rest, name) : skip(wire, rest, name);
      if (kind.isEnum(number) && (value < 0 || value > Integer.MAX_VALUE)) {
        throw notOnnx(name);
      }
      values.add(value);
    }
    return new WireMessage(name, bytes.slice(), fields);
  }

  /** Where the skipped bytes begin, and in the lower half how many they are. */
  private static long skip(int wire, ByteBuffer rest, String name) {
    long length = wire == FIXED_32 ? Integer.BYTES : varint(rest, name);
    if (length < 0 || length > rest.remaining()) {
      throw notOnnx(name);
    }
    long place = ((long) rest.position() << Integer.SIZE) | length;
    rest.position(rest.position() + (int) length);
    return place;
  }

  private static long varint(ByteBuffer rest, String name) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && rest.hasRemaining(); shift += 7) {
      byte next = rest.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        boolean isMinimal = (shift == 0 || next != 0) && (shift < 63 || next == 1);
        if (!isMinimal) {
          break;
        }
        return value;
      }
    }
    throw notOnnx(name);
  }

  private WireMessage(String name, ByteBuffer bytes, Map<Integer, Values> fields) {
    this.name = name;
    this.bytes = bytes;
    this.fields = fields;
  }

  private static InputException notOnnx(String name) {
    return InputException.malformed("not-onnx", name + ": is not an ONNX model.");
  }

  private LongStream values(int field) {
    Values found = fields.get(field);
    return found == null ? LongStream.empty() : LongStream.of(found.values).limit(found.count);
  }

  private Stream<ByteBuffer> places(int field) {
    return values(field)
        .mapToObj(place -> bytes.slice((int) (place >>> Integer.SIZE), (int) place));
  }

  /** How many values a field has. */
  long count(int field) {
    return values(field).count();
  }

  List<WireMessage> messages(int field, Kind of) {
    return places(field).map(one -> parse(of, one, name)).toList();
  }

  /** Bytes as Latin-1, so that different bytes are different names. */
  List<String> texts(int field) {
    return places(field).map(one -> StandardCharsets.ISO_8859_1.decode(one).toString()).toList();
  }

  String text(int field) {
    return texts(field).stream().findFirst().orElse("");
  }

  /** A singular number; the default where it is absent. */
  long number(int field, long otherwise) {
    return values(field).findFirst().orElse(otherwise);
  }

  /** Repeated integers, packed or not. */
  long[] numbers(int field) {
    Values found = fields.get(field);
    if (found == null || found.wire == VARINT) {
      return values(field).toArray();
    }
    Values unpacked = new Values(VARINT);
    places(field)
        .forEach(packed -> {
          while (packed.hasRemaining() && unpacked.count <= MAX_VALUES) {
            unpacked.add(varint(packed, name));
          }
        });
    if (unpacked.count > MAX_VALUES) {
      throw GraphGuard.notAllowed(name, "has more than " + MAX_VALUES + " values in a field");
    }
    return Arrays.copyOf(unpacked.values, unpacked.count);
  }

  /** Bytes of all values together. */
  long size(int field) {
    return values(field).map(place -> place & 0xFFFF_FFFFL).sum();
  }
}

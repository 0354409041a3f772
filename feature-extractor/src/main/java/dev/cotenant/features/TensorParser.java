package dev.cotenant.features;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.wire.WireInput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code TensorProto} [onnx.proto] without its data, unless that is small. */
final class TensorParser {
  /** No operator is defined for more axes. */
  static final int MAX_RANK = 64;

  private final WireInput in;
  private final ParseBudget budget;
  private final List<Long> extents = new ArrayList<>(4);
  private final List<Double> numbers = new ArrayList<>(4);
  private byte[] raw = {};
  private ElementType type = ElementType.UNDEFINED;
  private String name = "";
  private @Nullable String location;
  private boolean external;

  private TensorParser(WireInput in, ParseBudget budget) {
    this.in = in;
    this.budget = budget;
  }

  static StoredTensor parse(WireInput in, ParseBudget budget, long end) {
    budget.countEntry();
    return new TensorParser(in, budget).parse(end);
  }

  /** A sparse tensor, by its dense extents and the name and type of its values. */
  static StoredTensor parseSparse(WireInput in, ParseBudget budget, long end) {
    List<Long> dense = new ArrayList<>(4);
    StoredTensor values = new StoredTensor("", ElementType.FLOAT, List.of(), null, null);
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> values = parse(in, budget, in.enter(end));
        case 3 -> in.integers(end, extent -> addExtent(in, dense, extent));
        default -> in.skip(end);
      }
    }
    return new StoredTensor(values.name(), values.type(), dense, null, values.externalLocation());
  }

  private StoredTensor parse(long end) {
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> in.integers(end, extent -> addExtent(in, extents, extent));
        case 2 -> type = ElementType.of(in.integer());
        case 4 -> in.fixedNumbers(end, 4, bits -> keep(Float.intBitsToFloat((int) bits)));
        case 5, 7, 11 -> in.integers(end, this::keepInteger);
        case 8 -> name = in.text(end, budget.textBytes());
        case 9 -> readRaw(end);
        case 10 -> in.fixedNumbers(end, 8, bits -> keep(Double.longBitsToDouble(bits)));
        case 13 -> readLocation(in.enter(end));
        case 14 -> external = in.integer() == 1;
        default -> in.skip(end);
      }
    }
    return new StoredTensor(name, type, extents, keptNumbers(), external ? place() : null);
  }

  private String place() {
    return location == null ? "" : location;
  }

  private static void addExtent(WireInput in, List<Long> extents, long extent) {
    if (extent < 0 || extents.size() == MAX_RANK) {
      throw in.damaged("a stored tensor has extent " + extent + " on axis " + extents.size());
    }
    extents.add(extent);
  }

  private void keep(double number) {
    if (numbers.size() <= ParseBudget.KEPT_ELEMENTS) {
      numbers.add(number);
    }
  }

  /** Floats of 16 bits are stored as the integers of their bits; the type comes before the data. */
  private void keepInteger(long bits) {
    switch (type) {
      case FLOAT16 -> keep(Float.float16ToFloat((short) bits));
      case BFLOAT16 -> keep(Float.intBitsToFloat((int) bits << 16));
      default -> keep((double) bits);
    }
  }

  private void readRaw(long end) {
    long before = in.position();
    long length = in.skipBytes(end);
    if (length <= ParseBudget.KEPT_ELEMENTS * 8L) {
      in.moveTo(before);
      raw = in.bytes(end, ParseBudget.KEPT_ELEMENTS * 8);
    }
  }

  private void readLocation(long end) {
    String key = "";
    String value = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> key = in.text(end, budget.textBytes());
        case 2 -> value = in.text(end, budget.textBytes());
        default -> in.skip(end);
      }
    }
    if (key.equals("location")) {
      location = value;
    }
  }

  private @Nullable List<Double> keptNumbers() {
    long count = new StoredTensor("", type, extents, null, null).elements();
    if (external || count > ParseBudget.KEPT_ELEMENTS) {
      return null;
    }
    List<Double> found = raw.length > 0 ? decodeRaw((int) count) : numbers;
    return found.size() == count ? found : null;
  }

  private List<Double> decodeRaw(int count) {
    List<Double> decoded = new ArrayList<>(count);
    ByteBuffer bytes = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    int width = (int) type.bytes(1);
    while (decoded.size() < count && bytes.remaining() >= width) {
      switch (type) {
        case INT64, UINT64 -> decoded.add((double) bytes.getLong());
        case INT32 -> decoded.add((double) bytes.getInt());
        case UINT32 -> decoded.add((double) Integer.toUnsignedLong(bytes.getInt()));
        case INT16 -> decoded.add((double) bytes.getShort());
        case UINT16 -> decoded.add((double) Short.toUnsignedInt(bytes.getShort()));
        case INT8 -> decoded.add((double) bytes.get());
        case UINT8, BOOL -> decoded.add((double) Byte.toUnsignedInt(bytes.get()));
        case FLOAT -> decoded.add((double) bytes.getFloat());
        case DOUBLE -> decoded.add(bytes.getDouble());
        case FLOAT16 -> decoded.add((double) Float.float16ToFloat(bytes.getShort()));
        case BFLOAT16 -> decoded.add((double) Float.intBitsToFloat(bytes.getShort() << 16));
        default -> {
          return List.of();
        }
      }
    }
    return decoded;
  }
}

package dev.cotenant.features;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.wire.WireInput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads {@code TensorProto} [onnx.proto] without its data, unless that is small. */
final class TensorParser {
  /** No operator is defined for more axes. */
  static final int MAX_RANK = 64;

  /** Scales and factors are few; longer lists of floats are weights, which no shape depends on. */
  private static final int KEPT_FLOATS = 64;

  private static final double[] NO_NUMBERS = {};

  private final WireInput in;
  private final ParseBudget budget;
  private long[] extents = new long[4];
  private int rank;
  private double[] numbers = NO_NUMBERS;
  private int numberCount;
  private byte[] raw = {};
  private ElementType type = ElementType.UNDEFINED;
  private String name = "";
  private @Nullable String location;
  private boolean external;

  /** One a tensor. */
  TensorParser(WireInput in, ParseBudget budget) {
    this.in = in;
    this.budget = budget;
  }

  /** Name of the tensor that was parsed, perhaps empty. */
  String name() {
    return name;
  }

  /** A sparse tensor, by its dense extents and the name and type of its values. */
  StoredTensor parseSparse(long end) {
    StoredTensor values = StoredTensor.of(ElementType.FLOAT, extents(), null);
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> {
          TensorParser inner = new TensorParser(in, budget);
          values = inner.parse(in.enter(end));
          name = inner.name;
        }
        case 3 -> in.integers(end, this::addExtent);
        default -> in.skip(end);
      }
    }
    String outside = values.externalLocation();
    return outside == null
        ? StoredTensor.of(values.type(), extents(), null)
        : StoredTensor.external(values.type(), extents(), outside);
  }

  StoredTensor parse(long end) {
    budget.countTensor();
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> in.integers(end, this::addExtent);
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
    return external
        ? StoredTensor.external(type, extents(), place())
        : StoredTensor.of(type, extents(), keptNumbers());
  }

  private long[] extents() {
    return Arrays.copyOf(extents, rank);
  }

  private String place() {
    return location == null ? "" : location;
  }

  private void addExtent(long extent) {
    if (extent < 0 || rank == MAX_RANK) {
      throw in.damaged("a stored tensor has extent " + extent + " on axis " + rank);
    }
    if (rank == extents.length) {
      extents = Arrays.copyOf(extents, rank * 2);
    }
    extents[rank++] = extent;
  }

  private void keep(double number) {
    if (numberCount <= ParseBudget.KEPT_ELEMENTS) {
      if (numberCount == numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.max(4, numberCount * 2));
      }
      numbers[numberCount++] = number;
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

  private double @Nullable [] keptNumbers() {
    long count = StoredTensor.elements(extents());
    int most = type.isFloating() ? KEPT_FLOATS : ParseBudget.KEPT_ELEMENTS;
    if (count > most || !budget.mayKeep((int) count)) {
      return null;
    }
    double[] found = raw.length > 0 ? decodeRaw((int) count) : Arrays.copyOf(numbers, numberCount);
    return found.length == count ? found : null;
  }

  /** The elements; fewer where bytes are missing or are no numbers. */
  private double[] decodeRaw(int count) {
    ByteBuffer bytes = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    int width = (int) type.bytes(1);
    double[] decoded = new double[Math.min(count, raw.length / width)];
    for (int i = 0; i < decoded.length; i++) {
      switch (type) {
        case INT64, UINT64 -> decoded[i] = bytes.getLong();
        case INT32 -> decoded[i] = bytes.getInt();
        case UINT32 -> decoded[i] = Integer.toUnsignedLong(bytes.getInt());
        case INT16 -> decoded[i] = bytes.getShort();
        case UINT16 -> decoded[i] = Short.toUnsignedInt(bytes.getShort());
        case INT8 -> decoded[i] = bytes.get();
        case UINT8, BOOL -> decoded[i] = Byte.toUnsignedInt(bytes.get());
        case FLOAT -> decoded[i] = bytes.getFloat();
        case DOUBLE -> decoded[i] = bytes.getDouble();
        case FLOAT16 -> decoded[i] = Float.float16ToFloat(bytes.getShort());
        case BFLOAT16 -> decoded[i] = Float.intBitsToFloat(bytes.getShort() << 16);
        default -> {
          return NO_NUMBERS;
        }
      }
    }
    return decoded;
  }
}

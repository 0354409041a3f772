package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.StoredWeights;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header of a GGUF file [GGUF specification, version 3].
 *
 * @param values numbers, texts and truths by key; of an array of numbers, its largest; of an array
 *     of truths, how many hold
 * @param arrays lengths of arrays by key
 * @param stored the tensors
 * @param hasHead whether the head is a tensor of its own
 */
record GgufHeader(
    Map<String, Object> values, Map<String, Long> arrays, StoredWeights stored, boolean hasHead) {
  private static final long MAGIC = 0x46554747L; // GGUF
  private static final int MAX_PAIRS = 100_000;
  private static final int MAX_DIMENSIONS = 8;
  private static final int TRUTH = 7;
  private static final int STRING = 8;
  private static final int ARRAY = 9;

  /** Bytes of a value by its type; strings and arrays have none. */
  private static final int[] WIDTHS = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

  /** Name, elements of a block and bytes of a block, by the number of a tensor's type. */
  private record Block(String name, int elements, int bytes) {}

  private static final Map<Long, Block> BLOCKS =
      Map.ofEntries(
          Map.entry(0L, new Block("F32", 1, 4)),
          Map.entry(1L, new Block("F16", 1, 2)),
          Map.entry(2L, new Block("Q4_0", 32, 18)),
          Map.entry(3L, new Block("Q4_1", 32, 20)),
          Map.entry(6L, new Block("Q5_0", 32, 22)),
          Map.entry(7L, new Block("Q5_1", 32, 24)),
          Map.entry(8L, new Block("Q8_0", 32, 34)),
          Map.entry(9L, new Block("Q8_1", 32, 36)),
          Map.entry(10L, new Block("Q2_K", 256, 84)),
          Map.entry(11L, new Block("Q3_K", 256, 110)),
          Map.entry(12L, new Block("Q4_K", 256, 144)),
          Map.entry(13L, new Block("Q5_K", 256, 176)),
          Map.entry(14L, new Block("Q6_K", 256, 210)),
          Map.entry(15L, new Block("Q8_K", 256, 292)),
          Map.entry(16L, new Block("IQ2_XXS", 256, 66)),
          Map.entry(17L, new Block("IQ2_XS", 256, 74)),
          Map.entry(18L, new Block("IQ3_XXS", 256, 98)),
          Map.entry(19L, new Block("IQ1_S", 256, 50)),
          Map.entry(20L, new Block("IQ4_NL", 32, 18)),
          Map.entry(21L, new Block("IQ3_S", 256, 110)),
          Map.entry(22L, new Block("IQ2_S", 256, 82)),
          Map.entry(23L, new Block("IQ4_XS", 256, 136)),
          Map.entry(24L, new Block("I8", 1, 1)),
          Map.entry(25L, new Block("I16", 1, 2)),
          Map.entry(26L, new Block("I32", 1, 4)),
          Map.entry(27L, new Block("I64", 1, 8)),
          Map.entry(28L, new Block("F64", 1, 8)),
          Map.entry(29L, new Block("IQ1_M", 256, 56)),
          Map.entry(30L, new Block("BF16", 1, 2)),
          Map.entry(34L, new Block("TQ1_0", 256, 54)),
          Map.entry(35L, new Block("TQ2_0", 256, 66)),
          Map.entry(39L, new Block("MXFP4", 32, 17)),
          Map.entry(40L, new Block("NVFP4", 64, 36)));

  static GgufHeader read(GgufInput in) throws IOException {
    if (in.unsigned(4) != MAGIC) {
      throw GgufInput.bad(in.name(), "it does not begin with GGUF");
    }
    long version = in.unsigned(4);
    if (version != 0 && (version & 0xffff) == 0) {
      in.swap();
      version = Integer.toUnsignedLong(Integer.reverseBytes((int) version));
    }
    if (version < 2 || version > 3) {
      throw GgufInput.bad(in.name(), "its version " + version + " is not 2 or 3");
    }
    long tensors = in.count(24);
    long pairs = in.count(12);
    if (pairs > MAX_PAIRS || tensors > in.limits().tensors()) {
      throw InputException.tooLarge(
          "too-many-tensors", in.name() + ": has " + tensors + " tensors and " + pairs + " pairs.");
    }
    Map<String, Object> values = new HashMap<>();
    Map<String, Long> arrays = new HashMap<>();
    for (long i = 0; i < pairs; i++) {
      pair(in, values, arrays);
    }
    return tensors(in, tensors, values, arrays);
  }

  private static void pair(GgufInput in, Map<String, Object> values, Map<String, Long> arrays)
      throws IOException {
    String key = in.text();
    long type = in.unsigned(4);
    if (type == ARRAY) {
      Long largest = array(in, key, arrays, 0);
      if (largest != null) {
        values.put(key, largest);
      }
      return;
    }
    values.put(key, scalar(in, type));
  }

  private static Object scalar(GgufInput in, long type) throws IOException {
    if (type == STRING) {
      return in.text();
    }
    if (type < 0 || type >= WIDTHS.length || WIDTHS[(int) type] == 0) {
      throw GgufInput.bad(in.name(), "a value has the unknown type " + type);
    }
    long bits = in.unsigned(WIDTHS[(int) type]);
    return switch ((int) type) {
      case 1 -> (long) (byte) bits;
      case 3 -> (long) (short) bits;
      case 5 -> (long) (int) bits;
      case 6 -> (double) Float.intBitsToFloat((int) bits);
      case 12 -> Double.longBitsToDouble(bits);
      default -> bits;
    };
  }

  /** Skips an array; of whole numbers the largest, since layers may differ, of truths the sum. */
  private static @Nullable Long array(GgufInput in, String key, Map<String, Long> arrays, int depth)
      throws IOException {
    if (depth > in.limits().depth()) {
      throw GgufInput.bad(in.name(), "its arrays are nested too deeply");
    }
    long type = in.unsigned(4);
    boolean fixed = type >= 0 && type < WIDTHS.length && WIDTHS[(int) type] > 0;
    long count = in.count(fixed ? WIDTHS[(int) type] : 8);
    if (depth == 0) {
      arrays.put(key, count);
    }
    Long largest = null;
    for (long i = 0; i < count; i++) {
      if (type == ARRAY) {
        array(in, key, arrays, depth + 1);
      } else if (type == STRING) {
        in.skip(in.count(1));
      } else if (scalar(in, type) instanceof Long number) {
        long before = largest == null ? 0 : largest;
        largest = type == TRUTH ? before + number : Math.max(before, number);
      }
    }
    return largest;
  }

  private static GgufHeader tensors(
      GgufInput in, long count, Map<String, Object> values, Map<String, Long> arrays)
      throws IOException {
    boolean hasHead = false;
    Ranges ranges = new Ranges();
    Map<String, Long> bytes = new HashMap<>();
    long parameters = 0;
    long total = 0;
    for (long i = 0; i < count; i++) {
      hasHead |= in.text().equals("output.weight");
      long dimensions = in.unsigned(4);
      if (dimensions > MAX_DIMENSIONS) {
        throw GgufInput.bad(in.name(), "a tensor has " + dimensions + " dimensions");
      }
      long elements = 1;
      for (long d = 0; d < dimensions; d++) {
        long extent = in.unsigned(8);
        if (extent < 0 || (extent != 0 && elements > Long.MAX_VALUE / 256 / extent)) {
          throw GgufInput.bad(in.name(), "a tensor has more elements than a file can hold");
        }
        elements *= extent;
      }
      long type = in.unsigned(4);
      Block block = BLOCKS.get(type);
      if (block == null) {
        throw GgufInput.bad(in.name(), "a tensor has the unknown type " + type);
      }
      long begin = in.unsigned(8);
      long size = Math.ceilDiv(elements, block.elements()) * block.bytes();
      total += size;
      if (total < 0 || total > in.size()) {
        throw GgufInput.bad(in.name(), "its tensors are larger than the file");
      }
      if (begin < 0 || begin > in.size() - size) {
        throw GgufInput.bad(in.name(), "a tensor lies outside of the file");
      }
      ranges.add(begin, begin + size);
      bytes.merge(block.name(), size, Math::addExact);
      parameters += elements;
    }
    if (ranges.overlap()) {
      throw GgufInput.bad(in.name(), "two of its tensors overlap");
    }
    StoredWeights stored = new StoredWeights(bytes, parameters, (int) count);
    return new GgufHeader(values, arrays, stored, hasHead);
  }
}

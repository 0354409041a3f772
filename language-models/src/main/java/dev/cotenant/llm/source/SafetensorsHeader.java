package dev.cotenant.llm.source;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.StoredWeights;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads the header of a safetensors file: eight bytes of length, then that many of JSON; the
 * weights after it are not touched [safetensors format].
 */
public final class SafetensorsHeader {
  private static final int PREFIX = 8;

  /** How a pointer of Git LFS begins, which a clone without LFS has in place of a large file. */
  private static final byte[] LFS_POINTER = "version ".getBytes(StandardCharsets.US_ASCII);

  /** Bytes of an element; types of fewer than eight bits have none. */
  private static final Map<String, Integer> TYPES =
      Map.ofEntries(
          Map.entry("BOOL", 1),
          Map.entry("U8", 1),
          Map.entry("I8", 1),
          Map.entry("F8_E4M3", 1),
          Map.entry("F8_E5M2", 1),
          Map.entry("F8_E8M0", 1),
          Map.entry("I16", 2),
          Map.entry("U16", 2),
          Map.entry("F16", 2),
          Map.entry("BF16", 2),
          Map.entry("I32", 4),
          Map.entry("U32", 4),
          Map.entry("F32", 4),
          Map.entry("I64", 8),
          Map.entry("U64", 8),
          Map.entry("F64", 8));

  private static final String METADATA = "__metadata__";

  /** Of a file whose header alone is known. */
  private static final long MAX_DATA_BYTES = 1L << 42;

  private static final Pattern TYPE = Pattern.compile("[A-Z0-9_]{2,16}");
  private static final int MAX_RANK = 64;

  private final String name;
  private final long dataBytes;
  private final SourceLimits limits;
  private final Map<String, Long> bytesByType = new HashMap<>();
  private final Ranges ranges = new Ranges();
  private long parameters;
  private int tensors;

  private SafetensorsHeader(String name, long dataBytes, SourceLimits limits) {
    this.name = name;
    this.dataBytes = dataBytes;
    this.limits = limits;
  }

  /**
   * The tensors of a file.
   *
   * @throws InputException ({@code bad-safetensors}, {@code header-too-large}, {@code
   *     model-unreadable})
   */
  public static StoredWeights read(Path file, SourceLimits limits) {
    String name = ModelFiles.name(file);
    try (InputStream in = new BufferedInputStream(ModelFiles.open(file))) {
      return read(in, Files.size(file), name, limits);
    } catch (IOException e) {
      throw ModelFiles.unreadable(file, e);
    }
  }

  /**
   * The tensors of a header whose file is not there.
   *
   * @throws InputException ({@code bad-safetensors}, {@code bad-model-config}, {@code
   *     too-many-tensors})
   */
  static StoredWeights of(JsonFields header, SourceLimits limits) {
    SafetensorsHeader read = new SafetensorsHeader(header.place(), MAX_DATA_BYTES, limits);
    for (String name : header.values().keySet()) {
      if (name.equals(METADATA)) {
        continue;
      }
      JsonFields tensor =
          header.object(name).orElseThrow(() -> bad(header.place(), "a tensor is null"));
      List<Long> offsets = tensor.wholes("data_offsets");
      if (!tensor.has("shape") || offsets.size() != 2) {
        throw bad(header.place(), "a tensor lacks its shape or data_offsets");
      }
      read.add(
          tensor.text("dtype").orElse(""),
          tensor.wholes("shape").stream().reduce(1L, SafetensorsHeader::saturated),
          new long[] {offsets.getFirst(), offsets.getLast()});
    }
    return read.stored();
  }

  /**
   * The tensors that a header lists.
   *
   * @param size of the whole file in bytes
   */
  static StoredWeights read(InputStream in, long size, String name, SourceLimits limits)
      throws IOException {
    byte[] prefix = in.readNBytes(PREFIX);
    if (prefix.length < PREFIX) {
      throw bad(name, "it is shorter than 8 bytes");
    }
    if (Arrays.equals(prefix, LFS_POINTER)) {
      throw InputException.malformed(
          "bad-safetensors",
          name
              + ": it is a pointer of Git LFS in place of the weights; fetch them with 'git lfs"
              + " pull', or name config.json alone.");
    }
    long length = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getLong();
    if (length < 2 || length > size - PREFIX) {
      throw bad(
          name, "its header of " + Long.toUnsignedString(length) + " bytes is not in the file");
    }
    if (length > limits.headerBytes()) {
      throw InputException.tooLarge(
          "header-too-large",
          name
              + ": its header of "
              + length
              + " bytes is above "
              + limits.headerBytes()
              + "; split the model into more shards.");
    }
    byte[] header = in.readNBytes((int) length);
    if (header.length < length) {
      throw bad(name, "it ends within its header");
    }
    return new SafetensorsHeader(name, size - PREFIX - length, limits).parse(header);
  }

  private StoredWeights parse(byte[] header) {
    try (JsonParser parser = Json.factory(limits).createParser(header)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw bad(name, "its header is not a JSON object");
      }
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String tensor = parser.currentName();
        if (parser.nextToken() != JsonToken.START_OBJECT) {
          throw bad(name, "a tensor of its header is not an object");
        }
        if (tensor.equals(METADATA)) {
          parser.skipChildren();
        } else {
          tensor(parser);
        }
      }
      if (parser.nextToken() != null) {
        throw bad(name, "something follows the object in its header");
      }
    } catch (IOException e) {
      throw bad(name, "its header is not valid JSON: " + Json.problem(e));
    }
    return stored();
  }

  private StoredWeights stored() {
    if (ranges.overlap()) {
      throw bad(name, "two of its tensors overlap");
    }
    return new StoredWeights(bytesByType, parameters, tensors);
  }

  private void tensor(JsonParser parser) throws IOException {
    String type = "";
    long elements = -1;
    long[] offsets = {-1, -1};
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      switch (field) {
        case "dtype" -> {
          if (value != JsonToken.VALUE_STRING) {
            throw bad(name, "a dtype is not text");
          }
          type = parser.getText();
        }
        case "shape" -> elements = product(parser, value);
        case "data_offsets" -> offsets = offsets(parser, value);
        default -> parser.skipChildren();
      }
    }
    add(type, elements, offsets);
  }

  private void add(String type, long elements, long[] offsets) {
    if (!TYPE.matcher(type).matches() || elements < 0) {
      throw bad(name, "a tensor lacks its dtype or shape");
    }
    if (!(offsets[0] >= 0 && offsets[0] <= offsets[1] && offsets[1] <= dataBytes)) {
      throw bad(
          name,
          "a tensor lies at " + offsets[0] + " to " + offsets[1] + " of " + dataBytes + " bytes");
    }
    long bytes = offsets[1] - offsets[0];
    Integer width = TYPES.get(type);
    if (width != null && bytes != saturated(elements, width)) {
      throw bad(name, "a tensor of " + elements + " " + type + " has " + bytes + " bytes");
    }
    if (++tensors > limits.tensors()) {
      throw InputException.tooLarge(
          "too-many-tensors", name + ": lists more than " + limits.tensors() + " tensors.");
    }
    bytesByType.merge(type, bytes, Math::addExact);
    parameters = Math.addExact(parameters, Math.min(elements, Math.multiplyExact(bytes, 2L)));
    ranges.add(offsets[0], offsets[1]);
  }

  private long product(JsonParser parser, JsonToken start) throws IOException {
    if (start != JsonToken.START_ARRAY) {
      throw bad(name, "a shape is not a list");
    }
    long product = 1;
    int rank = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      long extent = whole(parser);
      if (++rank > MAX_RANK) {
        throw bad(name, "a shape has more than " + MAX_RANK + " dimensions");
      }
      product = saturated(product, extent);
    }
    return product;
  }

  private long[] offsets(JsonParser parser, JsonToken start) throws IOException {
    if (start != JsonToken.START_ARRAY) {
      throw bad(name, "data_offsets is not a list");
    }
    long[] offsets = {-1, -1};
    int count = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (count == offsets.length) {
        throw bad(name, "data_offsets are not two numbers");
      }
      offsets[count++] = whole(parser);
    }
    return offsets;
  }

  private long whole(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
        || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        || parser.getLongValue() < 0) {
      throw bad(name, "a shape or offset is not a whole number of at least 0");
    }
    return parser.getLongValue();
  }

  private static long saturated(long left, long right) {
    return Math.multiplyHigh(left, right) == 0 && left * right >= 0 ? left * right : Long.MAX_VALUE;
  }

  private static InputException bad(String name, String problem) {
    return InputException.malformed(
        "bad-safetensors", name + ": " + problem + "; download the file again.");
  }
}

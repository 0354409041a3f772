package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Refuses what a regressor does not need and an attacker does, before anything is executed: tensors
 * in other files, operators outside {@code ai.onnx} and {@code ai.onnx.ml}, functions, and nested
 * graphs, without which there are no loops, and operators that make large tensors of small ones.
 *
 * <p>Walks the fields of {@code onnx.proto} that can lead there and steps over all others. Field
 * numbers are those of the ONNX repository's {@code onnx/onnx.proto}.
 */
final class GraphGuard {
  private static final Set<String> DOMAINS = Set.of("", "ai.onnx", "ai.onnx.ml");

  /** Their results are as large as they say, whatever the file's size. */
  private static final Set<String> GENERATORS =
      Set.of(
          "ConstantOfShape",
          "Range",
          "Expand",
          "Tile",
          "Pad",
          "Resize",
          "Upsample",
          "OneHot",
          "EyeLike",
          "Bernoulli",
          "Multinomial",
          "RandomNormal",
          "RandomNormalLike",
          "RandomUniform",
          "RandomUniformLike",
          "BlackmanWindow",
          "HammingWindow",
          "HannWindow",
          "MelWeightMatrix",
          "Col2Im",
          "ConvTranspose",
          "MaxUnpool");

  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED_32 = 5;

  private static final int EXTERNAL = 1;

  private enum Message {
    MODEL,
    GRAPH,
    NODE,
    ATTRIBUTE,
    SPARSE_TENSOR,
    TENSOR,
    LEAF;

    /** What a length-delimited field of this message holds. */
    Message at(long field) {
      return switch (this) {
        case MODEL -> field == 7 ? GRAPH : LEAF;
        case GRAPH -> field == 1 ? NODE : field == 5 ? TENSOR : field == 15 ? SPARSE_TENSOR : LEAF;
        case NODE -> field == 5 ? ATTRIBUTE : LEAF;
        case ATTRIBUTE ->
            field == 5 || field == 10 ? TENSOR : field == 22 || field == 23 ? SPARSE_TENSOR : LEAF;
        case SPARSE_TENSOR -> field == 1 || field == 2 ? TENSOR : LEAF;
        case TENSOR, LEAF -> LEAF;
      };
    }
  }

  private final byte[] bytes;
  private final String name;
  private int at;

  private GraphGuard(byte[] bytes, String name) {
    this.bytes = bytes;
    this.name = name;
  }

  /**
   * Passes a model or says what is wrong with it.
   *
   * @param name what to call it in messages
   * @throws InputException ({@code not-onnx}, {@code regressor-not-allowed})
   */
  static void check(byte[] model, String name) {
    new GraphGuard(model, name).message(Message.MODEL, model.length);
  }

  /** Depth is bounded: only the chain from model to tensor is followed. */
  private void message(Message kind, int end) {
    while (at < end) {
      long tag = varint(end);
      long field = tag >>> 3;
      switch ((int) (tag & 7)) {
        case VARINT -> integer(kind, field, varint(end));
        case FIXED_64 -> skip(Long.BYTES, end);
        case FIXED_32 -> skip(Integer.BYTES, end);
        case LENGTH_DELIMITED -> delimited(kind, field, end);
        default -> throw notOnnx();
      }
    }
  }

  private void integer(Message kind, long field, long value) {
    if (kind == Message.TENSOR && field == 14 && value == EXTERNAL) {
      throw externalData();
    }
  }

  private void delimited(Message kind, long field, int end) {
    long length = varint(end);
    if (length < 0 || length > end - at) {
      throw notOnnx();
    }
    int inner = at + (int) length;
    if (kind == Message.TENSOR && field == 13) {
      throw externalData();
    }
    if (kind == Message.MODEL && (field == 20 || field == 25)) {
      throw notAllowed("has functions or training graphs");
    }
    if (kind == Message.ATTRIBUTE && (field == 6 || field == 11)) {
      throw notAllowed("has a nested graph (If, Loop, Scan)");
    }
    if (kind == Message.NODE && field == 4) {
      requireOperator(new String(bytes, at, inner - at, StandardCharsets.UTF_8));
    }
    if (kind == Message.NODE && field == 7) {
      requireDomain(new String(bytes, at, inner - at, StandardCharsets.UTF_8));
    }
    Message next = kind.at(field);
    if (next != Message.LEAF) {
      message(next, inner);
    }
    at = inner;
  }

  private void requireDomain(String domain) {
    if (!DOMAINS.contains(domain)) {
      throw notAllowed("has an operator of the domain '" + printable(domain) + "'");
    }
  }

  private void requireOperator(String operator) {
    if (GENERATORS.contains(operator)) {
      throw notAllowed("has the operator " + operator + ", whose result may be of any size");
    }
  }

  private static String printable(String text) {
    String clean = text.replaceAll("[^\\x20-\\x7e]", "?");
    return clean.length() > 60 ? clean.substring(0, 60) + "…" : clean;
  }

  private long varint(int end) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (at >= end) {
        throw notOnnx();
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw notOnnx();
  }

  private void skip(int count, int end) {
    if (count > end - at) {
      throw notOnnx();
    }
    at += count;
  }

  private InputException externalData() {
    return notAllowed("keeps data in other files");
  }

  private InputException notAllowed(String what) {
    return InputException.malformed(
        "regressor-not-allowed",
        name + ": " + what + "; a regressor is one plain graph of ai.onnx and ai.onnx.ml.");
  }

  private InputException notOnnx() {
    return InputException.malformed("not-onnx", name + ": is no ONNX model.");
  }
}

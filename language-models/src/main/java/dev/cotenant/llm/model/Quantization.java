package dev.cotenant.llm.model;

import java.util.Locale;
import java.util.Optional;

/**
 * How the weights of linear layers are stored; embeddings, norms and the head keep the model's
 * type.
 *
 * @param method its name, such as {@code fp8}; {@code none}
 * @param bytesPerWeight with scales
 * @param expertsAlone whether attention and dense layers keep the model's type too
 */
public record Quantization(String method, double bytesPerWeight, boolean expertsAlone) {
  /** Nothing is quantized. */
  public static final Quantization NONE = new Quantization("none", 0, false);

  /** One byte a weight; scales by channel do not count. */
  public static final Quantization EIGHT_BIT = new Quantization("8-bit", 1, false);

  /** Blocks of 32 with a shared exponent [OCP Microscaling Formats, section 5]. */
  public static final Quantization MXFP4 = new Quantization("mxfp4", 4.25 / 8, true);

  /** 4-bit NormalFloat with an fp32 scale for 64 weights [QLoRA, section 3]. */
  public static final Quantization NF4 = new Quantization("nf4", 0.5 + 4.0 / 64, false);

  /** The same with quantized scales: 0.127 bit a weight [QLoRA, section 3]. */
  public static final Quantization NF4_DOUBLE = new Quantization("nf4-dq", 0.5 + 0.127 / 8, false);

  private static final int DEFAULT_GROUP = 128;
  private static final String GGUF = "gguf";

  /** Every tensor of a GGUF file, embeddings and norms included, by the mean of its bytes. */
  public static Quantization gguf(double bytesPerWeight) {
    return new Quantization(GGUF, bytesPerWeight, false);
  }

  /** Whether embeddings, norms and the head are stored alike. */
  public boolean coversAll() {
    return method.equals(GGUF);
  }

  /** Whether linear layers are stored as the model's type says. */
  public boolean isNone() {
    return bytesPerWeight == 0;
  }

  /**
   * Groups of weights with a half-precision scale and zero point [GPTQ; AWQ].
   *
   * @param bits of a weight
   * @param group weights that share a scale
   */
  public static Quantization grouped(String method, int bits, int group) {
    return new Quantization(
        method, bits / 8.0 + (bits < 8 ? 2.5 : 2.0) / Math.max(1, group), false);
  }

  /** Of a name on a command line, such as {@code fp8} or {@code awq}; empty for an unknown one. */
  public static Optional<Quantization> named(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "fp8", "fbgemm_fp8", "int8", "8-bit", "ptpc_fp8", "w8a8", "modelopt", "experts_int8" ->
          Optional.of(EIGHT_BIT);
      case "awq", "awq_marlin", "gptq", "gptq_marlin", "gptq_marlin_24" ->
          Optional.of(grouped(name, 4, DEFAULT_GROUP));
      case "gptq-int8" -> Optional.of(grouped(name, 8, DEFAULT_GROUP));
      case "mxfp4" -> Optional.of(MXFP4);
      case "bitsandbytes", "nf4", "bnb.nf4" -> Optional.of(NF4);
      case "nf4-dq", "bnb.nf4-dq" -> Optional.of(NF4_DOUBLE);
      default -> Optional.empty();
    };
  }
}

package dev.cotenant.llm.tuning;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Optimizers by the moments that they keep of a trained parameter. */
public enum TuningOptimizer {
  /** Two moments in the parameter's type [Kingma and Ba, 2015]; what runs measured. */
  ADAM(2),
  /** One moment: Lion, RMSprop, Adagrad. */
  ONE_MOMENT(1),
  /** Two moments in blocks of 8 bits [Dettmers et al., 2022]. */
  ADAM_8_BIT(2),
  /** One moment in blocks of 8 bits. */
  ONE_MOMENT_8_BIT(1),
  /** None, or one row and one column of a matrix: SGD without momentum, Adafactor. */
  STATELESS(0);

  /** A byte, and a scale of 4 bytes for 256 values. */
  private static final double BLOCK_BYTES = 1 + 4 / 256.0;

  private final int moments;

  TuningOptimizer(int moments) {
    this.moments = moments;
  }

  /** The one that transformers or DeepSpeed name so; null for others. */
  public static @Nullable TuningOptimizer of(String name) {
    String plain =
        name.toLowerCase(Locale.ROOT).replace("optimizernames.", "").replaceFirst("^paged_", "");
    return switch (plain) {
      case "adam", "adamw", "adamw_hf", "adamw_torch", "adamw_torch_fused", "adamw_torch_xla" ->
          ADAM;
      case "adamw_32bit", "adamw_apex_fused", "adamw_anyprecision", "fusedadam" -> ADAM;
      case "adamw_8bit", "adamw_bnb_8bit", "adamw_torch_8bit" -> ADAM_8_BIT;
      case "lion", "lion_32bit", "rmsprop", "adagrad" -> ONE_MOMENT;
      case "lion_8bit", "rmsprop_8bit", "rmsprop_bnb_8bit" -> ONE_MOMENT_8_BIT;
      case "sgd", "adafactor" -> STATELESS;
      default -> null;
    };
  }

  /**
   * Bytes of the moments of a parameter.
   *
   * @param valueBytes of the type that moments of full size have
   */
  double momentBytes(double valueBytes) {
    return switch (this) {
      case ADAM, ONE_MOMENT, STATELESS -> moments * valueBytes;
      case ADAM_8_BIT, ONE_MOMENT_8_BIT -> moments * BLOCK_BYTES;
    };
  }
}

package dev.cotenant.features;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Bytes as choices from which a model is put together: every input reaches inference. */
public final class GeneratedGraphFuzzTarget {
  private static final int DRAWN_BYTES = 8;

  private GeneratedGraphFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] choices) {
    SafetyCheck.extractAsDrawn(model(choices));
  }

  /** The model that {@code choices} lead to, followed by its batch and extent. */
  static byte[] model(byte[] choices) {
    int drawn = Math.min(DRAWN_BYTES, choices.length);
    byte[] draw = Arrays.copyOf(choices, drawn);
    var out = new ByteArrayOutputStream();
    out.writeBytes(new GraphFromBytes(Arrays.copyOfRange(choices, drawn, choices.length)).model());
    out.writeBytes(Arrays.copyOf(draw, DRAWN_BYTES));
    return out.toByteArray();
  }
}

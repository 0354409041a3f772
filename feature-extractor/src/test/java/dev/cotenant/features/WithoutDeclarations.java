package dev.cotenant.features;

import dev.cotenant.features.wire.WireInput;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * A model without what its graph says of inner values and of the types of outputs, so that only
 * what is derived counts.
 */
final class WithoutDeclarations {
  private static final int GRAPH = 7;
  private static final int OUTPUT = 12;
  private static final int VALUE_INFO = 13;
  private static final int NAME = 1;

  private WithoutDeclarations() {}

  static byte[] of(byte[] model) {
    return kept(model, (field, content) -> field == GRAPH ? graph(content) : content);
  }

  private static byte[] graph(byte[] graph) {
    return kept(
        graph,
        (field, content) ->
            switch (field) {
              case OUTPUT -> kept(content, (part, bytes) -> part == NAME ? bytes : new byte[0]);
              case VALUE_INFO -> new byte[0];
              default -> content;
            });
  }

  /** What becomes of a field; nothing is left of one that becomes empty. */
  @FunctionalInterface
  private interface Change {
    byte[] apply(int field, byte[] content);
  }

  private static byte[] kept(byte[] message, Change change) {
    WireInput in = WireInput.of(message, "model");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int start = 0;
    while (in.nextField(message.length)) {
      int field = in.field();
      boolean isMessage = in.isLengthDelimited();
      byte[] content = isMessage ? in.bytes(message.length, message.length) : new byte[0];
      if (!isMessage) {
        in.skip(message.length);
        out.writeBytes(Arrays.copyOfRange(message, start, (int) in.position()));
      } else if (change.apply(field, content).length > 0) {
        byte[] changed = change.apply(field, content);
        writeVarint(out, field << 3 | 2);
        writeVarint(out, changed.length);
        out.writeBytes(changed);
      }
      start = (int) in.position();
    }
    return out.toByteArray();
  }

  private static void writeVarint(ByteArrayOutputStream out, int value) {
    int rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      out.write((rest & 0x7f) | 0x80);
    }
    out.write(rest);
  }
}

package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.testing.FuzzOracle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Set;

/**
 * Answers of a metrics server. One that cannot be read is an IOException; anything else is a
 * finding, and so is a label that nobody reads.
 */
public final class ResponseFuzzTarget {
  private static final Set<String> LABELS = Set.of("UUID", "gpu", "pod", "namespace");
  private static final long MAX_BYTES = 1 << 20;

  private ResponseFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    FuzzOracle.check(() -> read(input));
  }

  private static void read(byte[] input) {
    ResponseParser parser =
        new ResponseParser(
            (labels, _) -> {
              if (!LABELS.containsAll(labels.keySet())) {
                throw new AssertionError("labels that nobody reads: " + labels.keySet());
              }
            },
            LABELS,
            new RetainedBytes(MAX_BYTES));
    try {
      parser.parse(new ByteArrayInputStream(input));
    } catch (IOException e) {
      return; // an answer that cannot be read
    }
    if (parser.warnings().stream().anyMatch(line -> line.indexOf('\n') >= 0)) {
      throw new AssertionError("a warning of several lines");
    }
  }
}

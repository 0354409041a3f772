package dev.cotenant.cli.files;

import dev.cotenant.domain.InputException;
import java.nio.charset.StandardCharsets;

/** YAML that people pass. Bad input is an InputException; anything else is a finding. */
public final class YamlFuzzTarget {
  private static final int MAX_NODES = 10_000;

  private YamlFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      YamlDocuments.read(new String(input, StandardCharsets.UTF_8), "in", MAX_NODES)
          .forEach(PodTemplates::pods);
    } catch (InputException expected) {
      if (String.valueOf(expected.getMessage()).isBlank()) {
        throw new AssertionError("no reason", expected);
      }
    }
  }
}

package dev.cotenant.cli.files;

import dev.cotenant.domain.testing.FuzzOracle;
import java.nio.charset.StandardCharsets;

/** YAML that people pass; see {@link FuzzOracle}. */
public final class YamlFuzzTarget {
  private static final int MAX_NODES = 10_000;

  private YamlFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    FuzzOracle.check(() ->
        YamlDocuments.read(new String(input, StandardCharsets.UTF_8), "in", MAX_NODES)
            .forEach(PodTemplates::pods));
  }
}

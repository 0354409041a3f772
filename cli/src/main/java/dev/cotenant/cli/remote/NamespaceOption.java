package dev.cotenant.cli.remote;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** One namespace in place of all, for callers whose rights end there. */
final class NamespaceOption {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description =
          "Show only the pods of this namespace, which requires the right in it (default: all,"
              + " which requires the right in the whole cluster).")
  private @Nullable String namespace;

  /** What a path ends in, after {@code ?} or {@code &}; empty without a namespace. */
  String query(char separator) {
    return namespace == null
        ? ""
        : separator + "namespace=" + URLEncoder.encode(namespace, StandardCharsets.UTF_8);
  }
}

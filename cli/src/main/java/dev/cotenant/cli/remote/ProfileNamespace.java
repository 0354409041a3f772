package dev.cotenant.cli.remote;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whose profiles: a namespace's, or those of the whole cluster. */
final class ProfileNamespace {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description =
          "Profiles of this namespace, which requires the right in it (default: of the whole"
              + " cluster, which requires the right there).")
  private @Nullable String namespace;

  /** The path with its query. */
  String path(String name, @Nullable String device) {
    String query = query(query("", "namespace", namespace), "device", device);
    return "/v1/service-profiles"
        + (name.isEmpty() ? "" : "/" + RemoteService.escaped(name))
        + query;
  }

  private static String query(String before, String key, @Nullable String value) {
    return value == null
        ? before
        : before + (before.isEmpty() ? "?" : "&") + key + "=" + RemoteService.escaped(value);
  }
}

package dev.cotenant.cli.cluster;

import dev.cotenant.cli.files.Installation;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which recorded cluster: the busy one of the examples unless a file is named. */
final class SnapshotOption {
  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "The recorded cluster (default examples/clusters/busy.json).")
  private @Nullable Path snapshot;

  Path file(Installation installation) {
    return Objects.requireNonNullElse(snapshot, installation.busyCluster());
  }
}

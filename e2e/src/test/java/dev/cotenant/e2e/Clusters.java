package dev.cotenant.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the cluster for the tests by what the environment says. */
final class Clusters {
  private static final String ASSETS = "KUBEBUILDER_ASSETS";
  private static final String KUBECONFIG = "KUBECONFIG";

  private Clusters() {}

  /** The folder with the programs of a control plane, where the environment names one. */
  static Optional<Path> programs() {
    return Optional.ofNullable(System.getenv(ASSETS))
        .map(Path::of)
        .filter(folder -> Files.isExecutable(folder.resolve("kube-apiserver")));
  }

  /** The same; skips the test where there is none. */
  static Path requirePrograms() {
    return programs()
        .orElseGet(() ->
            abort("SKIPPED: %s names no folder with kube-apiserver and etcd".formatted(ASSETS)));
  }

  /**
   * One of the tests' own where there are programs for it, else the one that is named; skips the
   * test where there is neither.
   *
   * @param folder for whatever its processes write
   */
  static Cluster find(Path folder) {
    Optional<Path> programs = programs();
    if (programs.isPresent()) {
      return new TestControlPlane(programs.get(), folder);
    }
    if (System.getenv(KUBECONFIG) == null) {
      abort(
          "SKIPPED: neither does %s name a folder with kube-apiserver and etcd, nor %s a cluster"
              .formatted(ASSETS, KUBECONFIG));
    }
    NamedCluster named = new NamedCluster();
    if (!named.isMeant()) {
      abort(
          ("SKIPPED: %s names a cluster on another machine; %s says that it is meant, and at which"
                  + " address it reaches this one")
              .formatted(KUBECONFIG, NamedCluster.WEBHOOK_HOST));
    }
    return named;
  }
}

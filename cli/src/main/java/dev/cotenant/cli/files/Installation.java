package dev.cotenant.cli.files;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the project's own files are.
 *
 * @param home the root of a checkout, or of an archive of a release
 */
public record Installation(Path home) {
  /** The recorded cluster that commands use where none is named. */
  public Path busyCluster() {
    return home.resolve("examples/clusters/busy.json");
  }

  /** Models that are registered from the start. */
  public Path models() {
    return home.resolve("examples/models");
  }

  /** Sample pods of the demo. */
  public Path samplePods() {
    return home.resolve("examples/pods");
  }

  /** The fleet of services that the demo watches. */
  public Path watchedFleet() {
    return home.resolve("examples/plans/shop.json");
  }

  /** The service. */
  public Path serviceJar() {
    return service().resolve("quarkus-run.jar");
  }

  /** The service's classes as a JVM keeps them; made by the launcher, perhaps missing. */
  public Path serviceCache() {
    return (isCheckout() ? home.resolve("service/target") : service()).resolve("service.aot");
  }

  /** Jar of the command line, without dependencies. */
  public Path commandJar() {
    return home.resolve(isCheckout() ? "cli/target" : "cli").resolve("cotenant-cli.jar");
  }

  /** What the demo's service on a port writes; each demo starts with none. */
  public Path demoData(int port) {
    return (isCheckout() ? home.resolve("target") : Path.of(".cotenant"))
        .resolve("demo")
        .resolve(Integer.toString(port));
  }

  private Path service() {
    return home.resolve(isCheckout() ? "service/target/quarkus-app" : "service");
  }

  /**
   * A checkout has its parts where the build makes them, an archive of a release beside another.
   */
  private boolean isCheckout() {
    return Files.isRegularFile(home.resolve("pom.xml"));
  }
}

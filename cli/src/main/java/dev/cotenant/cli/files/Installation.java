package dev.cotenant.cli.files;

import java.nio.file.Path;

/**
 * Where the project's own files are.
 *
 * @param home the project's folder
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

  /** The service. */
  public Path serviceJar() {
    return home.resolve("service/target/quarkus-app/quarkus-run.jar");
  }

  /** The service's classes as a JVM keeps them; made by the launcher, perhaps missing. */
  public Path serviceCache() {
    return home.resolve("service/target/service.aot");
  }

  /** This program, without what it depends on. */
  public Path commandJar() {
    return home.resolve("cli/target/cotenant-cli.jar");
  }

  /** What the demo's service on a port writes; each demo starts with none. */
  public Path demoData(int port) {
    return home.resolve("target/demo").resolve(Integer.toString(port));
  }
}

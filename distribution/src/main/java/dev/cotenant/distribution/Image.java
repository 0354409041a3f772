package dev.cotenant.distribution;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.Ports;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FileEntry;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * Writes the OCI image of the service as an archive, without a daemon: the system's files, the Java
 * runtime, libraries, and what the build generated, least changing first. The same files give the
 * same archive, for which the service's cache of classes is left out: it holds addresses of the
 * process that made it.
 */
public final class Image {
  private static final String HOME = "/opt/cotenant";
  private static final String USER = "10001:10001";

  /** Directories of the service; the image may be run with a root file system that is read-only. */
  private static final Set<String> WRITABLE = Set.of("/var/lib/cotenant", "/tmp");

  private final Path system;
  private final Path stage;
  private final Instant time;

  private Image(Path target, Instant time) {
    system = target.resolve("system");
    stage = target.resolve("stage");
    this.time = time;
  }

  /** Arguments: the build folder, the version, and the time of all files. */
  public static void main(String[] arguments)
      throws IOException,
          InterruptedException,
          ExecutionException,
          RegistryException,
          CacheDirectoryCreationException,
          InvalidImageReferenceException {
    Path target = Path.of(arguments[0]);
    String version = arguments[1];
    Path archive = target.resolve("cotenant-" + version + "-oci.tar");
    Path cache = target.resolve("jib");
    JibContainer image =
        new Image(target, Instant.parse(arguments[2]))
            .builder(version)
            .containerize(
                Containerizer.to(TarImage.at(archive).named("cotenant:" + version))
                    .setBaseImageLayersCache(cache)
                    .setApplicationLayersCache(cache)
                    .setOfflineMode(true));
    System.out.println(archive + ": " + image.getDigest());
  }

  private JibContainerBuilder builder(String version) throws IOException {
    return Jib.fromScratch()
        .setFormat(ImageFormat.OCI)
        .setPlatforms(Set.of(platform()))
        .setCreationTime(time)
        .addFileEntriesLayer(layer("system", system, "", List.of("")))
        .addFileEntriesLayer(layer("runtime", stage, HOME, List.of("runtime")))
        .addFileEntriesLayer(layer("libraries", stage, HOME, List.of("service/lib")))
        .addFileEntriesLayer(
            layer(
                "application",
                stage,
                HOME,
                List.of(
                    "LICENSE",
                    "NOTICE",
                    "sbom.cdx.json",
                    "examples",
                    "service/app",
                    "service/quarkus",
                    "service/quarkus-run.jar")))
        .setWorkingDirectory(AbsoluteUnixPath.get(HOME))
        .setUser(USER)
        .setExposedPorts(Ports.parse(List.of("8080", "8443")))
        .addVolume(AbsoluteUnixPath.get("/var/lib/cotenant"))
        .setEnvironment(
            inOrder(
                Map.of(
                    "COTENANT_HOME", HOME,
                    "COTENANT_DATA_DIRECTORY", "/var/lib/cotenant",
                    "COTENANT_WEBHOOK_HOST", "0.0.0.0",
                    "QUARKUS_HTTP_HOST", "0.0.0.0",
                    "COTENANT_REST_TRUST_LOOPBACK", "false",
                    "JDK_JAVA_OPTIONS", "-XX:MaxRAMPercentage=60")))
        .setLabels(
            inOrder(
                Map.of(
                    "org.opencontainers.image.title",
                    "Cotenant",
                    "org.opencontainers.image.description",
                    "Predicts what a deep-learning workload does to a GPU, and lets pods share GPUs"
                        + " within those limits",
                    "org.opencontainers.image.licenses",
                    "Apache-2.0",
                    "org.opencontainers.image.version",
                    version,
                    "org.opencontainers.image.created",
                    time.toString())))
        .setEntrypoint(
            HOME + "/runtime/bin/java",
            "-XX:+ExitOnOutOfMemoryError",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-jar",
            "service/quarkus-run.jar");
  }

  /** {@code Map.of} has a different iteration order in each process. */
  private static Map<String, String> inOrder(Map<String, String> values) {
    return new TreeMap<>(values);
  }

  private static Platform platform() {
    return new Platform(
        System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64", "linux");
  }

  /** The files below some paths of a directory, with their permissions and one time. */
  private FileEntriesLayer layer(String name, Path directory, String prefix, List<String> paths)
      throws IOException {
    FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
    for (String path : paths) {
      try (Stream<Path> files = Files.walk(directory.resolve(path))) {
        for (Path file : files.sorted().toList()) {
          String inside = prefix + "/" + directory.relativize(file);
          if (!file.equals(directory)) {
            layer.addEntry(entry(file, inside));
          }
        }
      }
    }
    return layer.build();
  }

  private FileEntry entry(Path file, String inside) throws IOException {
    boolean isWritable = WRITABLE.contains(inside);
    return new FileEntry(
        file,
        AbsoluteUnixPath.get(inside),
        isWritable
            ? FilePermissions.fromOctalString(inside.equals("/tmp") ? "777" : "700")
            : FilePermissions.fromPosixFilePermissions(Files.getPosixFilePermissions(file)),
        time,
        isWritable && !inside.equals("/tmp") ? USER : "");
  }
}

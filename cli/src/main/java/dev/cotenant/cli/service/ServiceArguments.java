package dev.cotenant.cli.service;

import dev.cotenant.cli.files.Installation;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.engine.cluster.RecordedClusterReader;
import dev.cotenant.engine.files.InputFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** The arguments of the JVM that runs the service. */
final class ServiceArguments {
  /** Profiles in the cache begin the second compiler's work amid the start. */
  private static final List<String> WITHOUT_PROFILES =
      List.of(
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-XX:-AOTReplayTraining");

  /** Twenty times the JVM's calls and loops: after the start, and soon enough under load. */
  private static final List<String> SECOND_COMPILER_LATER =
      List.of(
          "-XX:Tier4InvocationThreshold=100000",
          "-XX:Tier4MinInvocationThreshold=12000",
          "-XX:Tier4CompileThreshold=300000",
          "-XX:Tier4BackEdgeThreshold=800000");

  private static final String PRICES =
      "a100-80gb=3.9,a100-40gb=2.9,v100-16gb=1.5,rtx-2080ti=0.4,t4=0.35";

  private final Installation installation;
  private final List<String> properties = new ArrayList<>();

  ServiceArguments(Installation installation, ServiceOptions options) {
    this.installation = installation;
    set("cotenant.home", installation.home().toAbsolutePath());
    set("quarkus.http.port", options.port());
    set("cotenant.webhook.port", options.httpsPort());
  }

  ServiceArguments recordedCluster(Path file) {
    InputFiles.requireFile(file, RecordedClusterReader.WANTED);
    return set("cotenant.cluster.recorded", file.toAbsolutePath());
  }

  ServiceArguments models(Path directory) {
    InputFiles.requireDirectory(directory, "models");
    return set("cotenant.models.directory", directory.toAbsolutePath());
  }

  /** The user's own GPUs, refused here where the service could not read them. */
  ServiceArguments devices(Path file) {
    new DeviceFile(file).read();
    return set("cotenant.devices.file", file.toAbsolutePath());
  }

  ServiceArguments prometheus(String url) {
    return set("cotenant.prometheus.url", url);
  }

  ServiceArguments data(Path directory) {
    return set("cotenant.data.directory", directory.toAbsolutePath());
  }

  /** A cluster whose pods are held and placed, with short times and example prices. */
  ServiceArguments demoCluster(String metrics, Path kubeconfig) {
    return prometheus(metrics)
        .set("cotenant.prometheus.refresh-interval", "500ms")
        .set("cotenant.prometheus.step", "5s")
        .set("cotenant.prometheus.collection-interval", "5s")
        .set("cotenant.kubernetes.enabled", true)
        .set("cotenant.kubernetes.kubeconfig", kubeconfig.toAbsolutePath())
        .set("cotenant.devices.prices", PRICES)
        .set("cotenant.devices.currency", "EUR")
        .set("cotenant.policy.mode", "enforce")
        .set("cotenant.policy.gpu-assignment", "visible-devices")
        .set("cotenant.policies.learning.namespaces", "team-e")
        .set("cotenant.policies.learning.profiling", "unknown-first")
        .set("cotenant.policies.learning.profile-time", "30s")
        .set("cotenant.policies.learning.guard", "act")
        .set("cotenant.policies.learning.guard-time", "1m");
  }

  private ServiceArguments set(String name, Object value) {
    properties.add("-D" + name + "=" + value);
    return this;
  }

  /** The arguments of java, for a service without a supervisor. */
  List<String> ofJar() {
    List<String> options = new ArrayList<>(cache());
    options.addAll(WITHOUT_PROFILES);
    options.addAll(SECOND_COMPILER_LATER);
    return ofJar(options);
  }

  /** The arguments of java, for a service that leaves its classes in a cache when it ends. */
  List<String> ofTraining(Path cache) {
    return ofJar(List.of("-XX:AOTCacheOutput=" + cache.toAbsolutePath()));
  }

  private List<String> ofJar(List<String> cache) {
    List<String> arguments = common(cache);
    arguments.add("-jar");
    arguments.add(requireJar(installation.serviceJar()).toString());
    return arguments;
  }

  /** The arguments of java, for a service that ends when its standard input does. */
  List<String> ofSupervised() {
    Path service = requireJar(installation.serviceJar());
    List<String> arguments = common(cache());
    arguments.add("-XX:TieredStopAtLevel=1"); // the second compiler takes half of a start's work
    arguments.addAll(WITHOUT_PROFILES);
    arguments.add("-cp");
    arguments.add(service + File.pathSeparator + requireJar(installation.commandJar()));
    arguments.add(SupervisedMain.class.getName());
    arguments.add(mainClass(service));
    return arguments;
  }

  private static String mainClass(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> common(List<String> cache) {
    List<String> arguments = new ArrayList<>();
    arguments.add("-XX:+UseSerialGC");
    arguments.add("-Xmx1g");
    arguments.add("-XX:+ExitOnOutOfMemoryError"); // threads would be dead while others answer
    arguments.add("--enable-native-access=ALL-UNNAMED");
    arguments.add("--sun-misc-unsafe-memory-access=allow");
    arguments.addAll(cache);
    arguments.addAll(properties);
    return arguments;
  }

  /** A JVM says on standard output why it ignores a cache, unless an option forbids it. */
  private List<String> cache() {
    Path cache = installation.serviceCache();
    return Files.isRegularFile(cache)
        ? List.of("-XX:AOTCache=" + cache.toAbsolutePath(), "-Xlog:aot*=off", "-Xlog:cds*=off")
        : List.of();
  }

  private static Path requireJar(Path jar) {
    if (!Files.isRegularFile(jar)) {
      throw InputException.notFound(
          "not-built", jar + ": there is no such file; start with ./cotenant, which builds it.");
    }
    return jar.toAbsolutePath();
  }
}

package dev.cotenant.deploy;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The chart, rendered by Helm itself. Helm's library does not print hooks and takes its cluster for
 * an old one, so a copy is rendered in which hooks are ordinary objects with another annotation and
 * any version of Kubernetes will do.
 */
final class Chart {
  static final String RELEASE = "cotenant";
  static final String NAMESPACE = "cotenant-system";

  /** Stands for {@code helm.sh/hook} in what is rendered here. */
  static final String HOOK = "hook.of.the.tests/hook";

  private static final Path ROOT = Path.of(System.getProperty("cotenant.root", "..")).normalize();
  private static final Path ORIGINAL = ROOT.resolve("deploy/helm/cotenant");
  private static final Path COPY = copy();
  private static final Map<String, Manifests> RENDERED = new ConcurrentHashMap<>();

  private Chart() {}

  /** A file of the project. */
  static Path file(String path) {
    return ROOT.resolve(path);
  }

  /** The text of a file of the project. */
  static String read(String path) {
    return read(file(path));
  }

  static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything the chart makes of these values, hooks included, in a cluster without anything. */
  static Manifests render(String values) {
    return RENDERED.computeIfAbsent(values, Chart::upgrade);
  }

  /** The same in a cluster as it is now. */
  static Manifests upgrade(String values) {
    return render(RELEASE, NAMESPACE, values);
  }

  static Manifests render(String release, String namespace, String values) {
    FakeApiServer.isRunning();
    return Manifests.parse(
        new Helm(COPY)
            .template()
            .withName(release)
            .withNamespace(namespace)
            .withValuesFile(write(values))
            .call());
  }

  /** What Helm prints after an installation. */
  static String notes(String values) {
    return new Helm(COPY)
        .install()
        .clientOnly()
        .dryRun()
        .withDryRunOption(DryRun.CLIENT)
        .withName(RELEASE)
        .withNamespace(NAMESPACE)
        .withValuesFile(write(values))
        .call()
        .getOutput();
  }

  static LintResult lint() {
    return new Helm(ORIGINAL).lint().strict().call();
  }

  private static Path write(String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      file.toFile().deleteOnExit();
      return Files.writeString(file, values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copy() {
    try {
      Path copy = Files.createTempDirectory("chart");
      copy.toFile().deleteOnExit();
      try (Stream<Path> files = Files.walk(ORIGINAL)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path target = copy.resolve(ORIGINAL.relativize(file).toString());
          Files.createDirectories(target.getParent());
          Files.writeString(target, adapted(read(file)));
        }
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String adapted(String text) {
    return text.replace("helm.sh/hook:", HOOK + ":").replaceAll("(?m)^kubeVersion:.*$", "");
  }
}

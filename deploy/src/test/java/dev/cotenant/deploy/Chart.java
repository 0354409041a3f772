package dev.cotenant.deploy;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import dev.cotenant.deploy.testing.ChartCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The chart as Helm renders it, and other files of the project. */
final class Chart {
  static final String RELEASE = "cotenant";
  static final String NAMESPACE = "cotenant-system";

  private static final Path ROOT = Path.of(System.getProperty("cotenant.root", "..")).normalize();
  private static final Path ORIGINAL = ROOT.resolve("deploy/helm/cotenant");
  private static final ChartCopy COPY = new ChartCopy(ROOT);
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
    return Manifests.parse(COPY.render(new ChartCopy.Release(release, namespace), values));
  }

  /** What Helm prints after an installation. */
  static String notes(String values) {
    return COPY.helm()
        .install()
        .clientOnly()
        .dryRun()
        .withDryRunOption(DryRun.CLIENT)
        .withName(RELEASE)
        .withNamespace(NAMESPACE)
        .withValuesFile(ChartCopy.valuesFile(values))
        .call()
        .getOutput();
  }

  static LintResult lint() {
    return new Helm(ORIGINAL).lint().strict().call();
  }
}

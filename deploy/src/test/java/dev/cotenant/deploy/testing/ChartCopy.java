package dev.cotenant.deploy.testing;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The chart, rendered by Helm itself. Helm's library does not print hooks and takes its cluster for
 * an old one, so a copy is rendered in which hooks are ordinary objects with another annotation and
 * any version of Kubernetes will do.
 */
public final class ChartCopy {
  /** Stands for {@code helm.sh/hook} in what is rendered here. */
  public static final String HOOK = "hook.of.the.tests/hook";

  private final Path copy;

  /**
   * Copies the chart.
   *
   * @param root the project's folder
   */
  public ChartCopy(Path root) {
    copy = copy(root.resolve("deploy/helm/cotenant"));
  }

  /** A release: its name and its namespace. */
  public record Release(String name, String namespace) {}

  /** All objects of a release with these values, hooks included, as YAML. */
  public String render(Release release, String values) {
    return helm()
        .template()
        .withName(release.name())
        .withNamespace(release.namespace())
        .withValuesFile(valuesFile(values))
        .call();
  }

  /** Helm on the copy. */
  public Helm helm() {
    return new Helm(copy);
  }

  /** A temporary file with these values. */
  public static Path valuesFile(String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      file.toFile().deleteOnExit();
      return Files.writeString(file, values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copy(Path original) {
    try {
      Path copy = Files.createTempDirectory("chart");
      copy.toFile().deleteOnExit();
      try (Stream<Path> files = Files.walk(original)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path target = copy.resolve(original.relativize(file).toString());
          Files.createDirectories(target.getParent());
          Files.writeString(target, adapted(Files.readString(file)));
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

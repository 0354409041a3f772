package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Python package beside the command and the service, with Debian's PyTorch and a newer one. */
class PythonIT {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final Path SOURCES = ROOT.resolve("python");
  private static final Path PYTHON = Path.of("/usr/bin/python3");
  private static final Path LIBRARIES = Path.of("/usr/lib/python3/dist-packages");
  private static final Path NEWER = ROOT.resolve("target/pytorch");
  private static final String WITHOUT_EXPORT = "has no torch.export";
  private static final long MAX_MINUTES = 8;

  @TempDir private static Path folder;

  @BeforeAll
  static void requirePython() {
    OutsideData.requirePackage("python3-torch", PYTHON);
  }

  @Test
  void passesItsTestsBesideTheCommandAndTheService() throws Exception {
    List<String> skipped = skipped(Map.of());
    // What was left out without them counts as skipped.
    OutsideData.requirePackage("python3-torch", LIBRARIES.resolve("torch/__init__.py"));
    OutsideData.requirePackage("python3-matplotlib", LIBRARIES.resolve("matplotlib/__init__.py"));
    assertThat(skipped).allMatch(line -> line.contains(WITHOUT_EXPORT));
  }

  @Test
  void passesItsTestsWithAPyTorchThatExportsPrograms() throws Exception {
    OutsideData.requireFetched(
        "python3 -m pip install --target target/pytorch 'torch>=2.5'",
        NEWER.resolve("torch/__init__.py"));
    assertThat(skipped(Map.of("PYTHONPATH", NEWER.toString())))
        .noneMatch(line -> line.contains(WITHOUT_EXPORT));
  }

  /** Runs all tests; the lines of those that were skipped. */
  private static List<String> skipped(Map<String, String> more) throws Exception {
    try (LocalService service =
        LocalService.start(ROOT, Files.createTempDirectory(folder, "data"))) {
      Map<String, String> environment = new HashMap<>(more);
      environment.put("COTENANT_COMMAND", command());
      environment.put("COTENANT_URL", service.url());
      environment.put("COTENANT_TEST_URL", service.url());
      String printed = run(SOURCES, environment, "-m", "unittest", "--verbose");

      assertThat(printed).containsPattern("\nRan \\d{2,} tests in ").containsPattern("\nOK");
      List<String> skipped = printed.lines().filter(line -> line.contains("skipped '")).toList();
      skipped.forEach(System.err::println);
      return skipped;
    }
  }

  @Test
  void theWheelInstallsWithoutANetworkAndNeedsNothingElse() throws Exception {
    OutsideData.requirePackage("python3-pip", LIBRARIES.resolve("pip/__init__.py"));
    OutsideData.requirePackage("python3-setuptools", LIBRARIES.resolve("setuptools/__init__.py"));
    OutsideData.requirePackage("python3-wheel", LIBRARIES.resolve("wheel/__init__.py"));
    Path copy = copied(folder.resolve("sources"));
    Path wheels = Files.createDirectories(Path.of("target", "python").toAbsolutePath());
    Path site = folder.resolve("site");
    List<String> pip = List.of("-m", "pip", "--disable-pip-version-check", "--no-cache-dir");

    run(
        folder,
        Map.of(),
        with(pip, "wheel", "--no-build-isolation", "--no-deps", "-w", wheels + "", copy + ""));
    Path wheel = wheels.resolve("cotenant-0.1.0-py3-none-any.whl");
    run(
        folder,
        Map.of(),
        with(pip, "install", "--no-index", "--no-deps", "-t", site + "", wheel + ""));

    assertThat(site.resolve("cotenant/py.typed")).exists();
    String program =
        "import sys, cotenant; print(cotenant.__file__, len(cotenant.graph(sys.argv[1])) > 1000,"
            + " 'torch' in sys.modules)";
    Path archive = SOURCES.resolve("tests/data/mixed-torch-2.6.pt2");
    assertThat(
            run(folder, Map.of("PYTHONPATH", site.toString()), "-c", program, archive.toString()))
        .isEqualTo(site.resolve("cotenant/__init__.py") + " True False\n");
  }

  private static String command() {
    return String.join(
        " ",
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable --enable-native-access=ALL-UNNAMED",
        "-Dslf4j.internal.verbosity=ERROR",
        "'-Dcotenant.home=" + ROOT + "'",
        "-cp",
        "'" + ROOT.resolve("cli/target/cotenant-cli.jar") + ":" + ROOT.resolve("cli/target/lib/*'"),
        "dev.cotenant.cli.Main");
  }

  /** The build of a wheel writes beside its sources. */
  private static Path copied(Path target) throws IOException {
    Files.walkFileTree(
        SOURCES,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Path to = target.resolve(SOURCES.relativize(file));
            Files.createDirectories(to.getParent());
            Files.copy(file, to);
            return FileVisitResult.CONTINUE;
          }
        });
    return target;
  }

  private static String[] with(List<String> first, String... rest) {
    return Stream.concat(first.stream(), Stream.of(rest)).toArray(String[]::new);
  }

  /** Runs Python, which must end with 0; what it printed. */
  private static String run(Path directory, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(PYTHON.toString(), "-B"));
    line.addAll(List.of(arguments));
    Path log = Files.createTempFile(folder, "python", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COTENANT_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
    process.destroyForcibly();
    String printed = Files.readString(log);
    assertThat(ended).as("ended in time: %s", printed).isTrue();
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }
}

package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher itself, in a folder where nothing has to be built. */
class LauncherTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  @TempDir private Path folder = Path.of("");

  private record Outcome(int exitCode, String out, String err) {}

  @Test
  void runsThroughALinkFromAnotherFolderWithSpacesInItsPath() throws Exception {
    Path home = installed(folder.resolve("a folder"));
    Path link = Files.createSymbolicLink(folder.resolve("linked"), home.resolve("cotenant"));

    Outcome outcome = run(new ProcessBuilder(link.toString(), "two words", "--json"));

    // Nothing but the class that is missing can go wrong: the JVM was found and started.
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("dev.cotenant.cli.Main");
    assertThat(outcome.exitCode()).isEqualTo(1);
  }

  @Test
  void runsFromAnArchiveWithItsOwnRuntime() throws Exception {
    Path home = Files.createDirectories(folder.resolve("cotenant-0.1.0-linux-x64"));
    Files.copy(
        ROOT.resolve("cotenant"), home.resolve("cotenant"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.createSymbolicLink(home.resolve("runtime"), Path.of(System.getProperty("java.home")));
    ProcessBuilder builder = new ProcessBuilder(home.resolve("cotenant").toString(), "devices");

    Outcome outcome = run(builder);

    // The runtime was started, and nothing was built: there are no classes.
    assertThat(outcome.err()).contains("dev.cotenant.cli.Main");
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(home.resolve("target")).doesNotExist();
  }

  /** The JVM is a script that prints its arguments; the terminal is that of util-linux' script. */
  @Test
  void tellsTheWidthOfTheTerminal() throws Exception {
    Path home = Files.createDirectories(folder.resolve("wide"));
    Files.copy(
        ROOT.resolve("cotenant"), home.resolve("cotenant"), StandardCopyOption.COPY_ATTRIBUTES);
    Path java = Files.createDirectories(home.resolve("runtime/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    ProcessBuilder builder =
        new ProcessBuilder(
            "script",
            "-qec",
            "stty cols 97; " + home.resolve("cotenant") + " devices",
            "/dev/null");
    builder.environment().remove("COLUMNS");

    assertThat(run(builder).out()).contains("-Dcotenant.columns=97 ");

    ProcessBuilder narrow = new ProcessBuilder(home.resolve("cotenant").toString(), "devices");
    narrow.environment().put("COLUMNS", "60");
    assertThat(run(narrow).out())
        .contains("-Dcotenant.columns=60 ", " --sun-misc-unsafe-memory-access=allow ");
  }

  @Test
  void saysInOneLineHowToGetAJdk() throws Exception {
    Path home = installed(folder.resolve("home"));
    Files.writeString(
        home.resolve(".mvn/find-jdk.sh"), "required_java=25\nfind_jdk() { return 1; }\n");

    Outcome outcome = run(new ProcessBuilder(home.resolve("cotenant").toString(), "devices"));

    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).contains("no JDK 25").contains("JAVA_HOME");
    assertThat(outcome.exitCode()).isEqualTo(1);
  }

  /** The JVM itself cannot: it says that its main class is missing. */
  @Test
  void saysInOneLineThatTooFewFilesMayBeOpen() throws Exception {
    Path home = installed(folder.resolve("home"));

    Outcome outcome =
        run(
            new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 128; exec \"$0\" serve",
                home.resolve("cotenant").toString()));

    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).contains("only 128 files may be open", "ulimit -n");
    assertThat(outcome.exitCode()).isEqualTo(1);
  }

  @Test
  void checksAClusterByThePluginWithoutAJdk() throws Exception {
    Path home = installed(folder.resolve("home"));
    Files.writeString(home.resolve(".mvn/find-jdk.sh"), "find_jdk() { return 1; }\n");
    Files.copy(
        ROOT.resolve("kubectl-cotenant"),
        home.resolve("kubectl-cotenant"),
        StandardCopyOption.COPY_ATTRIBUTES);

    Outcome outcome =
        run(
            new ProcessBuilder(
                home.resolve("cotenant").toString(), "doctor", "--gpu-assignment", "x"));

    assertThat(outcome.err()).startsWith("kubectl-cotenant: --gpu-assignment takes node-only");
    assertThat(outcome.exitCode()).isEqualTo(2);
  }

  @Test
  void showsHelpWithoutABuildOrAJdk() throws Exception {
    Path home = installed(folder.resolve("home"));
    Files.delete(home.resolve("cli/target/.built"));
    Files.createDirectories(home.resolve("docs"));
    Files.copy(ROOT.resolve("docs/cli.md"), home.resolve("docs/cli.md"));
    String program = home.resolve("cotenant").toString();

    assertThat(run(new ProcessBuilder(program, "lab", "run", "x", "--help")).out())
        .isEqualTo(CommandRun.of("lab", "run", "--help").out());
    assertThat(run(new ProcessBuilder(program, "help", "predict")).out())
        .isEqualTo(CommandRun.of("predict", "--help").out());
    assertThat(run(new ProcessBuilder(program, "-h")))
        .isEqualTo(new Outcome(0, CommandRun.of("--help").out(), ""));
    assertThat(run(new ProcessBuilder(program)))
        .isEqualTo(new Outcome(2, "", CommandRun.of("--help").out()));
    assertThat(home.resolve("target")).doesNotExist();
  }

  /** Maven and the JVM are scripts that record their arguments. */
  @Test
  void buildsTheCommandAndTheServiceAtFirst() throws Exception {
    Path home = installed(folder.resolve("home"));
    javaThatMakesCaches(home);
    Files.delete(home.resolve("cli/target/.built"));
    Files.createDirectories(home.resolve("service/target"));
    Files.writeString(home.resolve("mvnw"), "echo \"$@\" >arguments; sleep 1\n");

    Outcome outcome = run(new ProcessBuilder(home.resolve("cotenant").toString(), "devices"));

    assertThat(home.resolve("arguments")).hasContent("-B -Dquick package -pl cli,service -am");
    assertThat(outcome.err().lines())
        .first()
        .asString()
        .startsWith("Building Cotenant, starting Maven");
    assertThat(outcome.err()).contains("Built Cotenant in ");
    assertThat(outcome.out()).endsWith("dev.cotenant.cli.Main devices\n");
    assertThat(home.resolve("cli/target/.built")).exists();
    assertThat(home.resolve("service/target/.built")).exists();
  }

  /** As after a build by Maven alone, which changes the jars and makes no caches. */
  @Test
  void renewsCachesThatAreOlderThanTheJarsOrOfAnotherJdk() throws Exception {
    Path home = installed(folder.resolve("home"));
    Path jdk = javaThatMakesCaches(home);
    Path release = Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
    Path jar = Files.createFile(home.resolve("cli/target/cotenant-cli.jar"));
    Path commands = home.resolve("cli/target/cotenant.aot");
    Path service = Files.createDirectories(home.resolve("service/target")).resolve("service.aot");
    for (Path cache : List.of(commands, service)) {
      Files.writeString(cache, "old");
      Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH));
    }
    Files.createFile(home.resolve("service/target/.built"));
    String program = home.resolve("cotenant").toString();
    ProcessBuilder devices = new ProcessBuilder(program, "devices");
    ProcessBuilder demo = new ProcessBuilder(program, "demo");

    Outcome outcome = run(devices);

    assertThat(outcome.err().lines())
        .singleElement()
        .asString()
        .startsWith("The cache of classes, which halves every start, is older than the jars");
    assertThat(outcome.out()).contains("-XX:AOTCache=" + commands, "dev.cotenant.cli.Main devices");
    assertThat(commands).hasContent("made");
    assertThat(service).hasContent("old");
    assertThat(run(devices).err()).isEmpty();
    assertThat(run(demo).err()).contains("older than the jars");
    assertThat(service).hasContent("made");
    assertThat(run(demo).err()).isEmpty();

    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(3600)));
    assertThat(run(devices).err()).contains("older than the jars");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(3600)));
    Files.writeString(release, "JAVA_VERSION=\"26\"\n");
    assertThat(run(devices).err()).contains("another JDK");
    assertThat(run(devices).err()).isEmpty();
  }

  /** The JDK that the launcher finds: prints its arguments, and leaves what a training run does. */
  private static Path javaThatMakesCaches(Path home) throws IOException {
    Path jdk = home.resolve("jdk");
    Files.writeString(
        home.resolve(".mvn/find-jdk.sh"), "find_jdk() { echo '%s'; }\n".formatted(jdk));
    Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        echo "$@"
        for argument in "$@"; do
          case $argument in
            -XX:AOTCacheOutput=*) echo made >"${argument#*=}" ;;
            */service.aot.new) echo made >"$argument" ;;
          esac
        done
        """);
    assertThat(java.toFile().setExecutable(true)).isTrue();
    return jdk;
  }

  /** The launcher beside a build that is up to date and holds no classes. */
  private static Path installed(Path home) throws IOException {
    Files.createDirectories(home.resolve(".mvn"));
    Files.createDirectories(home.resolve("cli/target/lib"));
    Files.createFile(home.resolve("pom.xml"));
    Files.createFile(home.resolve("cli/target/.built"));
    for (String file : new String[] {"cotenant", ".mvn/find-jdk.sh"}) {
      Files.copy(ROOT.resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }
    return home;
  }

  private Outcome run(ProcessBuilder builder) throws IOException, InterruptedException {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process =
        builder
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}

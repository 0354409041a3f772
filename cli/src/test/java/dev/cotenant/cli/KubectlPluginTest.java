package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin beside a command that prints its arguments, through a link and through kubectl. */
class KubectlPluginTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  @TempDir private Path folder = Path.of("");
  private Path link = Path.of("");

  private record Outcome(int exitCode, String out, String err) {}

  @BeforeEach
  void install() throws IOException {
    Path home = Files.createDirectories(folder.resolve("the home"));
    Files.copy(
        ROOT.resolve("kubectl-cotenant"),
        home.resolve("kubectl-cotenant"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Path command = home.resolve("cotenant");
    Files.writeString(
        command,
        "#!/bin/sh\nprintf '[%s]' \"$@\"\nprintf ' in %s\\n' \"${COTENANT_NAMESPACE:-none}\"\n");
    assertThat(command.toFile().setExecutable(true)).isTrue();
    Path bin = Files.createDirectories(folder.resolve("bin"));
    link =
        Files.createSymbolicLink(bin.resolve("kubectl-cotenant"), home.resolve("kubectl-cotenant"));
  }

  private Outcome run(List<String> command) throws IOException, InterruptedException {
    return run(command, "");
  }

  private Outcome run(List<String> command, String serviceAccount)
      throws IOException, InterruptedException {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .merge(
            "PATH", folder.resolve("bin").toString(), (old, bin) -> bin + File.pathSeparator + old);
    builder.environment().remove("COTENANT_NAMESPACE");
    builder.environment().put("COTENANT_SERVICE_ACCOUNT", serviceAccount);
    Path config = folder.resolve("config");
    Files.writeString(
        config,
        """
        {"apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [
          {"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "team-a"}}],
         "clusters": [{"name": "k", "cluster": {"server": "https://127.0.0.1:1"}}],
         "users": [{"name": "u", "user": {}}]}
        """);
    builder.environment().put("KUBECONFIG", config.toString());
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  @Test
  void passesArgumentsOnThroughALink() throws Exception {
    assertThat(run(List.of(link.toString(), "gpus", "--url", "two words")).out())
        .isEqualTo("[gpus][--url][two words] in none\n");
  }

  @Test
  void decidesOnAPodInADryRun() throws Exception {
    assertThat(run(List.of(link.toString(), "dry-run", "-f", "pod.yaml")).out())
        .isEqualTo("[decide][-f][pod.yaml] in none\n");
  }

  @Test
  void isFoundByKubectl() throws Exception {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/kubectl"))).as("kubectl is there").isTrue();
    assertThat(run(List.of("kubectl", "cotenant", "explain", "pod/train")).out())
        .isEqualTo("[explain][pod/train] in team-a\n");
  }

  /** In place of the real one: prints a token, or fails where the account is not there. */
  private void installKubectl() throws IOException {
    Path kubectl = folder.resolve("bin/kubectl");
    Files.writeString(
        kubectl,
        """
        #!/bin/sh
        printf '%s\\n' "$*" >>"$(dirname "$0")/asked"
        case $* in
          *nobody*) echo 'serviceaccounts "nobody" not found' >&2; exit 1 ;;
          'create token'*) echo made-by-kubectl ;;
        esac
        """);
    assertThat(kubectl.toFile().setExecutable(true)).isTrue();
    Files.writeString(
        folder.resolve("the home/cotenant"),
        """
        #!/bin/sh
        printf '[%s]' "$@"
        for last; do :; done
        case $last in /dev/fd/3) cat /dev/fd/3 ;; esac
        """);
  }

  @Test
  void makesATokenOfTheServiceAccountThatIsNamed() throws Exception {
    installKubectl();

    assertThat(run(List.of(link.toString(), "gpus"), "ops/gpu-reader").out())
        .isEqualTo("[gpus][--token-file][/dev/fd/3]made-by-kubectl\n");
    assertThat(run(List.of(link.toString(), "queue"), "gpu-reader").out())
        .endsWith("made-by-kubectl\n");
    assertThat(Files.readString(folder.resolve("bin/asked")).lines())
        .containsExactly(
            "create token gpu-reader --namespace ops --audience cotenant --duration 10m",
            "create token gpu-reader --audience cotenant --duration 10m");
  }

  @Test
  void makesNoTokenWhereOneIsGivenOrNoneIsWanted() throws Exception {
    installKubectl();

    assertThat(run(List.of(link.toString(), "gpus", "--token-file", "t"), "a/b").out())
        .isEqualTo("[gpus][--token-file][t]");
    assertThat(run(List.of(link.toString(), "gpus", "--token=t"), "a/b").out())
        .isEqualTo("[gpus][--token=t]");
    assertThat(run(List.of(link.toString(), "devices"), "a/b").out()).isEqualTo("[devices]");
    assertThat(run(List.of(link.toString(), "gpus")).out()).isEqualTo("[gpus]");
  }

  @Test
  void endsWhereKubectlMakesNoToken() throws Exception {
    installKubectl();
    Outcome outcome = run(List.of(link.toString(), "gpus"), "ops/nobody");

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err()).contains("not found");
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void saysInOneLineWhatACopyLacks() throws Exception {
    Path copy =
        Files.copy(
            ROOT.resolve("kubectl-cotenant"),
            folder.resolve("bin/kubectl-copied"),
            StandardCopyOption.COPY_ATTRIBUTES);
    Outcome outcome = run(List.of(copy.toString(), "gpus"));
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).contains("COTENANT_HOME");
    assertThat(outcome.exitCode()).isEqualTo(1);
  }
}

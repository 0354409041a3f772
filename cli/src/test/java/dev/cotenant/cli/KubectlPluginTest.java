package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.FakeKubectl.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the plugin asks of kubectl and the service, and what it prints. */
class KubectlPluginTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  @TempDir private Path folder = Path.of("");
  private FakeKubectl kubectl;

  @BeforeEach
  void install() throws IOException {
    kubectl = new FakeKubectl(ROOT, folder);
    kubectl.answer("releases", "gpu-ops sharing Q0E=\n");
    kubectl.answer("token", "made-by-kubectl\n");
    kubectl.answer("service", "the answer\n");
  }

  @Test
  void asksTheLeaderThroughAForwardedPortWithATokenOfTheAccount() throws Exception {
    Outcome outcome = kubectl.run("explain", "pod/train");

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).isEqualTo("the answer\n");
    assertThat(outcome.exitCode()).isZero();
    assertThat(kubectl.requested())
        .anyMatch(line ->
            line.equals(
                "create token gpu-reader --namespace ops --audience cotenant --duration 10m"))
        .anyMatch(line ->
            line.equals(
                "port-forward --address 127.0.0.1 --namespace gpu-ops service/sharing-leader :443"))
        .last()
        .asString()
        .endsWith("get --raw /v1/explain/team-a/train?output=text");
    assertThat(kubectl.recorded("config"))
        .contains(
            "    server: \"https://127.0.0.1:41234\"",
            "    tls-server-name: \"sharing-leader.gpu-ops.svc\"",
            "    certificate-authority-data: \"Q0E=\"");
    assertThat(kubectl.recorded("token-sent")).isEqualTo("made-by-kubectl\n");
    assertThat(kubectl.recorded("mode")).startsWith("-rw-------");
    assertThat(kubectl.requested()).noneMatch(line -> line.contains("made-by-kubectl"));
    // It is an orphan by now, which init may reap a moment later.
    ProcessHandle.of(Long.parseLong(kubectl.recorded("forwarding").strip()))
        .ifPresent(forwarding ->
            assertThat(forwarding.onExit())
                .as("the forwarding ends")
                .succeedsWithin(Duration.ofSeconds(20)));
  }

  @ParameterizedTest
  @CsvSource({
    "queue, '/v1/queue?output=text&limit=100&namespace=team-a'",
    "queue -n x --limit 7 -o json, '/v1/queue?output=json&limit=7&namespace=x'",
    "queue -A, '/v1/queue?output=text&limit=100'",
    "gpus --namespace=x, '/v1/gpus?output=text&namespace=x'",
    "gpus --all-namespaces, '/v1/gpus?output=text'",
    "right-size -n x, '/v1/recommendations?output=text&namespace=x'",
    "right-size -A -o json, '/v1/recommendations?output=json'",
    "right-size -A -o csv --since 7d, '/v1/recommendations?output=csv&days=7'",
    "right-size -n x --window 2d, '/v1/recommendations?output=text&window=48&namespace=x'",
    "right-size -n x --window=6h --coverage 0.99,"
        + " '/v1/recommendations?output=text&window=6&coverage=0.99&namespace=x'",
    "right-size -A --price 2.5 --price NVIDIA-L4=0.8,"
        + " '/v1/recommendations?output=text&price=2.5&price=NVIDIA-L4=0.8'",
    "explain train -n x, '/v1/explain/x/train?output=text'",
  })
  void asksWhatTheOptionsSay(String line, String path) throws Exception {
    assertThat(kubectl.run(line.split(" ")).exitCode()).isZero();
    assertThat(kubectl.requested().getLast()).endsWith("get --raw " + path);
  }

  @ParameterizedTest
  @CsvSource({
    "queue -A, '/v1/queue?output=text&columns=60&limit=100'",
    "gpus -A, '/v1/gpus?output=text&columns=60'",
    "gpus -A -o json, '/v1/gpus?output=json'",
    "explain train -n x, '/v1/explain/x/train?output=text&columns=60'",
  })
  void asksForTablesAsWideAsTheTerminal(String line, String path) throws Exception {
    kubectl.setColumns(60);

    assertThat(kubectl.run(line.split(" ")).exitCode()).isZero();
    assertThat(kubectl.requested().getLast()).endsWith("get --raw " + path);
  }

  @Test
  void usesAnAddressAndATokenThatAreGiven() throws Exception {
    Files.writeString(folder.resolve("token file"), " given\n");

    Outcome outcome =
        kubectl.run(
            "gpus", "-n", "x", "--url=https://gpus.example:8443/", "--token-file", "token file");

    assertThat(outcome.err()).isEmpty();
    assertThat(kubectl.recorded("config"))
        .contains("server: \"https://gpus.example:8443\"")
        .doesNotContain("certificate-authority", "tls-server-name");
    assertThat(kubectl.recorded("token-sent")).isEqualTo("given");
    assertThat(kubectl.requested()).noneMatch(line -> line.contains("port-forward"));
  }

  @Test
  void decidesOnEveryObjectOfAManifest() throws Exception {
    kubectl.answer("objects", "{\"kind\":\"Pod\",\"x\":\"`$(id)` \\\\n\"}\n{\"kind\":\"Job\"}\n");

    Outcome outcome = kubectl.run("dry-run", "-f", "two words.yaml", "--context", "a b");

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).isEqualTo("the answer\nthe answer\n");
    assertThat(kubectl.requested().getFirst())
        .isEqualTo(
            "--context=a b create --dry-run=client --validate=false --filename two words.yaml"
                + " --output jsonpath={@}{\"\\n\"}");
    assertThat(kubectl.recorded("bodies").lines())
        .containsExactly(
            "{\"pod\":{\"kind\":\"Pod\",\"x\":\"`$(id)` \\\\n\"}}", "{\"pod\":{\"kind\":\"Job\"}}");
  }

  @Test
  void printsNoDecisionWithoutAService() throws Exception {
    kubectl.answer("objects", "{\"kind\":\"Pod\"}\n");
    kubectl.refuse(
        "service",
        "Unable to connect to the server: dial tcp 127.0.0.1:41234: connect: connection refused\n");

    Outcome outcome = kubectl.run("dry-run", "-f", "pod.yaml");

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err())
        .contains("gpu-ops/sharing-leader does not answer", "Nothing was decided", "--url");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Error from server (Forbidden): you may not list queue.cotenant.dev in namespace team-a|may"
            + " not list queue.cotenant.dev",
        "error: You must be logged in to the server (The token has expired.)|The token has"
            + " expired.",
        "Error from server (ServiceUnavailable): This replica does not lead. Try again in 5 s.|Try"
            + " again in 5 s.",
      })
  void passesOnWhatTheServiceRefuses(String error, String says) throws Exception {
    kubectl.refuse("service", error + "\n");
    Outcome outcome = kubectl.run("queue");

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err()).startsWith("kubectl-cotenant: ").contains(says);
    assertThat(outcome.err()).doesNotContain("Error from server", "logged in");
    assertThat(outcome.err().lines()).hasSize(1);
  }

  @Test
  void namesWhatIsMissingAndWhatToDo() throws Exception {
    kubectl.setAccount("");
    assertThat(kubectl.run("queue").err()).contains("--account", "kubectl create rolebinding");

    kubectl.setAccount("ops/nobody");
    kubectl.refuse("token", "Error from server (NotFound): serviceaccounts \"nobody\" not found\n");
    assertThat(kubectl.run("queue").err())
        .contains("ops/nobody: serviceaccounts \"nobody\" not found", "serviceaccounts/token");

    kubectl.answer("token", "t");
    kubectl.answer("releases", "");
    assertThat(kubectl.run("queue").err()).contains("not installed", "kubectl cotenant doctor");

    kubectl.answer("releases", "a one Q0E=\nb two Q0E=\n");
    assertThat(kubectl.run("queue").err()).contains("--service: a/one-leader b/two-leader");
    assertThat(kubectl.run("queue", "--service", "b/two-leader").exitCode()).isZero();

    kubectl.answer("releases", "a one <no value>\n");
    assertThat(kubectl.run("queue").err()).contains("--ca-file");

    kubectl.refuse("releases", "Error from server (Forbidden): user cannot list\n");
    assertThat(kubectl.run("queue").err())
        .contains("user cannot list", "--ca-file", "cotenant-kubectl");

    Files.writeString(folder.resolve("ca.pem"), "PEM");
    assertThat(kubectl.run("queue", "--ca-file", "ca.pem").exitCode()).isZero();
    assertThat(kubectl.requested())
        .anyMatch(line -> line.contains("cotenant-system service/cotenant-leader"));

    kubectl.answer("port-forward.error", "");
    assertThat(kubectl.run("queue", "--ca-file", "ca.pem").err())
        .contains("cotenant-system/cotenant-leader cannot be reached", "pods/portforward");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "simulate -f pod.yaml",
        "nonsense",
        "explain",
        "explain deploy/x",
        "explain pod/../../v1/gpus",
        "explain pod/a?b",
        "explain pod/a b c",
        "explain pod/$(id)",
        "explain a b",
        "queue -n",
        "queue -n A",
        "queue -n a/b",
        "queue --limit 0",
        "queue -o csv",
        "right-size --since 14",
        "right-size --since 0d",
        "right-size --since 1000d",
        "right-size --window 6m",
        "right-size --window h",
        "right-size --coverage much",
        "right-size --coverage 0.9.5",
        "right-size --price 2&output=json",
        "queue --limit 1&x=y",
        "queue -o yaml",
        "queue --wrong x",
        "queue --token=secret",
        "queue --url http://plain",
        "queue --url https://a\"b",
        "queue --service x",
        "queue --account a/b/c",
        "dry-run",
        "doctor --gpu-assignment mps",
      })
  void isBadUsageInOneLine(String line) throws Exception {
    Outcome outcome = kubectl.run(line.split(" ", 3));
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(kubectl.requested()).noneMatch(requested -> requested.contains("--raw"));
  }

  @Test
  void listsItsCommandsAndItsVersion() throws Exception {
    assertThat(kubectl.run("help").out()).contains("explain pod/NAME", "doctor");
    assertThat(kubectl.run("queue", "--help").out()).contains("dry-run -f FILE");
    assertThat(kubectl.run("version").out().strip())
        .isEqualTo(
            Files.readString(ROOT.resolve("pom.xml"))
                .replaceFirst("(?s).*?<version>([0-9.]+)-SNAPSHOT</version>.*", "$1"));
  }
}

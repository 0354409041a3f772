package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.testing.FreePort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The kubectl plugin with kubectl itself, on the HTTPS port of the service. There is no kubelet to
 * forward a port, so that it gets an address.
 */
@ExtendWith(OnStage.class)
class PluginIT {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Path work = Path.of("");
  private Path kubectl = Path.of("");
  private Path kubeconfig = Path.of("");

  private record Outcome(int exitCode, String out, String err) {}

  @BeforeEach
  void prepare(Stage stage) throws IOException {
    kubectl =
        Stream.concat(
                Stream.ofNullable(System.getenv("KUBEBUILDER_ASSETS")),
                Stream.of(System.getenv("PATH").split(File.pathSeparator)))
            .map(folder -> Path.of(folder, "kubectl"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(() -> abort("SKIPPED: there is no kubectl"));
    work = Files.createTempDirectory(stage.folder(), "plugin");
    JsonNode webhook =
        stage.release().ofKind(Release.MUTATING).getFirst().at("/webhooks/0/clientConfig");
    Files.write(
        work.resolve("ca.pem"), Base64.getDecoder().decode(webhook.path("caBundle").asText()));
    String token = stage.cluster().admin().getOauthToken();
    kubeconfig =
        token == null
            ? Path.of(System.getenv("KUBECONFIG"))
            : stage.cluster().kubeconfig(work, token);
  }

  private Outcome run(Stage stage, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(stage.root().resolve("kubectl-cotenant").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    Map<String, String> environment = builder.environment();
    environment.merge(
        "PATH", kubectl.getParent().toString(), (old, first) -> first + File.pathSeparator + old);
    environment.put("KUBECONFIG", kubeconfig.toString());
    environment.put("TMPDIR", work.toString());
    environment.put("COTENANT_URL", url(stage.replicas().deciding()));
    Path out = work.resolve("out");
    Path err = work.resolve("err");
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private static String url(CotenantProcess service) {
    return "https://127.0.0.1:" + service.webhookPort();
  }

  /** As the account, in the team's namespace. */
  private Outcome ask(Stage stage, String account, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "--ca-file",
            "ca.pem",
            "--account",
            stage.names().system() + "/" + account,
            "-n",
            stage.names().team()));
    return run(stage, all.toArray(String[]::new));
  }

  /** An account with the role editor in the team's namespace. */
  private String editor(Stage stage) {
    String account = "plugin-editor";
    stage.release().createAccount(stage.admin(), account);
    stage.release().bind(stage.admin(), account, "editor", stage.names().team());
    Eventually.holds("the binding counts", () -> isAllowed(stage));
    return account;
  }

  private boolean isAllowed(Stage stage) {
    try {
      return ask(stage, "plugin-editor", "queue").exitCode() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void explainsListsAndDecides(Stage stage) throws Exception {
    String editor = editor(stage);
    List<String> full = stage.fill();
    stage.createHeld(PodManifest.named("waiting"));
    String pod = stage.names().team() + "/waiting";

    Outcome queue = ask(stage, editor, "queue");
    assertThat(queue.err()).isEmpty();
    assertThat(queue.out()).contains("rank", pod);
    assertThat(ask(stage, editor, "explain", "pod/waiting").out())
        .startsWith(pod + ": queue position 1");
    assertThat(ask(stage, editor, "gpus").out())
        .contains(stage.names().team() + "/" + full.getFirst() + " (whole)", "granted: predicted");
    JsonNode json = MAPPER.readTree(ask(stage, editor, "queue", "-o", "json").out());
    assertThat(json.at("/waiting/0/pod").asText()).isEqualTo(pod);

    Files.writeString(
        work.resolve("two words.yaml"),
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: dry, annotations: {note: "$(id) \\"quoted\\" `id`"}}
        spec: {containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: many}
        spec:
          selector: {matchLabels: {app: many}}
          template:
            metadata: {labels: {app: many}}
            spec:
              containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 9}}}]
        """);
    Outcome dry = ask(stage, editor, "dry-run", "-f", "two words.yaml");
    assertThat(dry.err()).isEmpty();
    assertThat(dry.out())
        .contains(stage.names().team() + "/dry: held", stage.names().team() + "/many: ");
    assertThat(stage.pods().all()).hasSize(full.size() + 1);
  }

  @Test
  void namesTheMissingRightAndTheUnusableToken(Stage stage) throws Exception {
    stage.release().createAccount(stage.admin(), "plugin-stranger");
    Outcome refused = ask(stage, "plugin-stranger", "queue");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .contains("plugin-stranger", "list", "queue", stage.names().team())
        .doesNotContain("Error from server");

    Outcome missing = ask(stage, "plugin-nobody", "queue");
    assertThat(missing.err()).contains("plugin-nobody", "not found");

    Files.writeString(
        work.resolve("token"), stage.release().token(stage.admin(), stage.release().account()));
    Outcome other = run(stage, "gpus", "-A", "--ca-file", "ca.pem", "--token-file", "token");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err().lines()).hasSize(1);
    assertThat(other.err()).contains("token");
  }

  @Test
  void refusesWhatIsNoManifestAndAServiceThatIsAway(Stage stage) throws Exception {
    String editor = editor(stage);
    Files.writeString(work.resolve("bad.yaml"), "{{{ nothing: [");
    Outcome bad = ask(stage, editor, "dry-run", "-f", "bad.yaml");
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("bad.yaml");
    assertThat(bad.err().lines()).hasSize(1);

    Files.writeString(
        work.resolve("service.yaml"),
        "{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80}]}}");
    Outcome none = ask(stage, editor, "dry-run", "-f", "service.yaml");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("not a manifest of a Pod");

    Files.writeString(
        work.resolve("pod.yaml"),
        """
        {apiVersion: v1, kind: Pod, metadata: {name: dry}, spec: {containers: [
          {name: main, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]}}
        """);
    Outcome untrusted =
        run(stage, "dry-run", "-f", "pod.yaml", "--account", stage.names().system() + "/" + editor);
    assertThat(untrusted.exitCode()).isEqualTo(1);
    assertThat(untrusted.err()).contains("--ca-file").contains("certificate");

    String url = "https://127.0.0.1:" + FreePort.find();
    Outcome away = ask(stage, editor, "dry-run", "-f", "pod.yaml", "--url", url);
    assertThat(away.exitCode()).isEqualTo(1);
    assertThat(away.out()).isEmpty();
    assertThat(away.err()).contains(url, "does not answer", "Nothing was decided");
  }

  @Test
  void checksTheClusterAndWhatIsEnforced(Stage stage) throws Exception {
    Outcome before = run(stage, "doctor", "--gpu-assignment", "hami");
    assertThat(before.err()).isEmpty();
    assertThat(before.exitCode()).isEqualTo(1);
    assertThat(before.out())
        .contains(
            "ok    Kubernetes v1.",
            "NVIDIA-A100-SXM4-40GB, 1 GPU offered once each",
            "FAIL  --gpu-assignment uses GPU assignment hami: HAMi is not installed")
        .doesNotContain("cannot read");

    String deployment = stage.release().only("Deployment", _ -> true).at("/metadata/name").asText();
    Outcome installed =
        run(stage, "doctor", "--service", stage.names().system() + "/" + deployment + "-leader");
    assertThat(installed.exitCode()).isEqualTo(1);
    assertThat(installed.out())
        .contains(
            "FAIL  the default policy (mode enforce) uses GPU assignment node-only: the device"
                + " plugin gives each GPU to one container only",
            stage.names().optedIn().size() + " namespaces opted in");
  }
}

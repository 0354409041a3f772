package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ungate --all} against an API server that has two pods, one of which is held. */
class UngateCommandTest {
  private static final String PODS =
      """
      {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [
        {"metadata": {"name": "held", "namespace": "team-a", "resourceVersion": "7"},
         "spec": {"schedulingGates": [{"name": "cotenant.dev/colocation"}]}},
        {"metadata": {"name": "other", "namespace": "team-a", "resourceVersion": "8"},
         "spec": {"schedulingGates": [{"name": "somebody.else/gate"}]}}]}
      """;

  @TempDir private Path folder = Path.of("");

  private Path kubeconfig(int port) throws IOException {
    return Files.writeString(
        folder.resolve("config"),
        """
        {"apiVersion": "v1", "kind": "Config", "current-context": "c",
         "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
         "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:%d"}}],
         "users": [{"name": "u", "user": {}}]}
        """
            .formatted(port));
  }

  @Test
  void listsWhatIsHeldAndChangesNothing() throws IOException {
    List<String> methods = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          methods.add(exchange.getRequestMethod());
          byte[] body = PODS.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      Path config = kubeconfig(server.getAddress().getPort());
      CommandRun run = CommandRun.of("ungate", "--all", "--dry-run", "--kubeconfig", config);
      assertThat(run.out().lines()).containsExactly("team-a/held", "1 pod would be ungated.");
      assertThat(run.exitCode()).isZero();
      assertThat(methods).containsOnly("GET");
      assertThat(
              CommandRun.of("ungate", "--all", "--dry-run", "--json", "--kubeconfig", config)
                  .json())
          .singleElement()
          .satisfies(json -> assertThat(json.path("gated")).hasSize(1));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void removesTheWebhooksBeforeItLetsAnybodyGo() throws IOException {
    List<String> requested = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String request = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
          boolean ungate = requested.contains("PATCH /api/v1/namespaces/team-a/pods/held");
          requested.add(request);
          String answer = request.equals("GET /api/v1/pods") && !ungate ? PODS : "{}";
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      Path config = kubeconfig(server.getAddress().getPort());
      CommandRun run =
          CommandRun.of("ungate", "--all", "--webhooks", "cotenant", "--kubeconfig", config);
      assertThat(run.out().lines()).containsExactly("1 pod ungated, 0 already gone.");
      assertThat(requested.stream().distinct())
          .containsExactly(
              "DELETE /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/cotenant",
              "DELETE"
                  + " /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cotenant",
              "GET /api/v1/pods",
              "PATCH /api/v1/namespaces/team-a/pods/held");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void saysInOneLineThatTheClusterCannotBeAsked() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    CommandRun run = CommandRun.of("ungate", "--all", "--kubeconfig", kubeconfig(port));
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .contains("call to the API server failed");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void wantsAKubeconfigWhereThereIsNone() {
    String before = System.setProperty("kubeconfig", folder.resolve("none").toString());
    System.setProperty("kubernetes.auth.tryServiceAccount", "false");
    try {
      CommandRun run = CommandRun.of("ungate", "--all");
      assertThat(run.errorLines()).singleElement().asString().contains("--kubeconfig FILE");
      assertThat(run.exitCode()).isEqualTo(1);
    } finally {
      System.clearProperty("kubernetes.auth.tryServiceAccount");
      System.clearProperty("kubeconfig");
      if (before != null) {
        System.setProperty("kubeconfig", before);
      }
    }
  }

  @Test
  void wantsToBeToldThatAllAreMeant() {
    CommandRun run = CommandRun.of("ungate");
    assertThat(run.errorLines()).singleElement().asString().contains("--all");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(CommandRun.of("ungate", "--all", "--kubeconfig", "missing").exitCode()).isEqualTo(2);
  }
}

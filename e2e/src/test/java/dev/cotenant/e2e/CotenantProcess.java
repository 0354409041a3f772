package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A replica of the service: the process of a pod's container, with the configuration and the
 * environment that the chart gives it. What a pod has at fixed places is elsewhere here: the
 * folders of the image and of the certificate, and every address, which is on loopback.
 */
final class CotenantProcess implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final int webhookPort;
  private final int port;
  private final String name;

  private CotenantProcess(Process process, int webhookPort, int port, String name) {
    this.name = name;
    this.process = process;
    this.webhookPort = webhookPort;
    this.port = port;
  }

  /**
   * What all replicas have in common.
   *
   * @param folder for what they write
   * @param root the project
   * @param container as the chart renders it
   * @param configuration the text of application.properties
   * @param kubeconfig of the release's account
   */
  record Install(
      Path folder, Path root, JsonNode container, String configuration, Path kubeconfig) {}

  /** Starts a replica; returns when it is ready. */
  static CotenantProcess start(Install install, String name) {
    try {
      int port = FreePort.find();
      int webhookPort = FreePort.find();
      Path home = Files.createDirectories(install.folder().resolve(name));
      Path configuration = Files.createDirectories(home.resolve("config"));
      Files.writeString(configuration.resolve("application.properties"), install.configuration());
      ProcessBuilder builder = new ProcessBuilder(command(install.root())).directory(home.toFile());
      Map<String, String> environment = builder.environment();
      for (JsonNode variable : install.container().path("env")) {
        environment.put(variable.path("name").asText(), variable.path("value").asText());
      }
      environment.put("COTENANT_HOME", install.root().toString());
      environment.put("COTENANT_DATA_DIRECTORY", home.resolve("data").toString());
      environment.put("COTENANT_WEBHOOK_HOST", "127.0.0.1");
      environment.put("COTENANT_WEBHOOK_PORT", Integer.toString(webhookPort));
      environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
      environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
      environment.put("COTENANT_REST_TRUST_LOOPBACK", "true"); // HTTP listens on loopback alone
      environment.put("KUBECONFIG", install.kubeconfig().toString());
      environment.put("POD_NAME", name);
      Path log = install.folder().resolve(name + "-" + port + ".log");
      Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
      CotenantProcess started = new CotenantProcess(process, webhookPort, port, name);
      Eventually.holds("the service is ready, see " + log, started::isReady);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The image's entry point. */
  private static List<String> command(Path root) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-jar");
    command.add(root.resolve("service/target/quarkus-app/quarkus-run.jar").toString());
    return command;
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new IllegalStateException("the service has ended by itself");
    }
    return get("/q/health/ready").startsWith("200 ");
  }

  /** Its name, which its data are under. */
  String name() {
    return name;
  }

  int webhookPort() {
    return webhookPort;
  }

  /** Whether it runs. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it leads and decides. */
  boolean isDeciding() {
    return get("/q/health/group/decisions").startsWith("200 ");
  }

  /** The sum of the series that begin like this, a name or a name with labels; 0 without series. */
  double metric(String name) {
    return get("/q/metrics")
        .lines()
        .filter(line ->
            name.contains("{")
                ? line.startsWith(name)
                : line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** How often it has written to the API server, Events left out. */
  double writes() {
    return metric("cotenant_writes_total") - metric("cotenant_writes_total{kind=\"event\"");
  }

  /** Code and body. */
  String get(String path) {
    return answer(HttpRequest.newBuilder(), path);
  }

  /** Code and body. */
  String put(String path, String json) {
    return answer(
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(json)),
        path);
  }

  /** Code and body. */
  String post(String path, String json) {
    return answer(
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)),
        path);
  }

  private String answer(HttpRequest.Builder builder, String path) {
    HttpRequest request = builder.uri(URI.create("http://127.0.0.1:" + port + path)).build();
    try {
      HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return response.statusCode() + " \n" + response.body();
    } catch (IOException e) {
      return "none";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "none";
    }
  }

  /** Ends it without a chance to say goodbye. */
  void kill() {
    process.destroyForcibly();
    await();
  }

  /** Asks it to end. */
  @Override
  public void close() {
    process.destroy();
    await();
  }

  private void await() {
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("the service did not end within 30 s when it was asked to");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

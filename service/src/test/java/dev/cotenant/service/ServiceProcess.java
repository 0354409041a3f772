package dev.cotenant.service;

import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The packaged service as a process of its own, with a cache of its classes as in the product. */
final class ServiceProcess implements AutoCloseable {
  private static final long MAX_WAIT_MILLIS = 180_000;

  private static final Path TARGET = RunningService.root().resolve("service/target");

  private static final Path JAR = TARGET.resolve("quarkus-app/quarkus-run.jar");
  private static final Path CLASS_CACHE = TARGET.resolve("tests.aot");

  private final Process process;
  private final Path output;

  private ServiceProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static ServiceProcess start(List<String> options) throws IOException {
    return start(List.of(), Map.of(), options);
  }

  /**
   * Starts it in another environment.
   *
   * @param launcher what runs java, such as a shell that sets limits before
   * @param environment beside that of the tests, without what a cluster sets
   */
  static ServiceProcess start(
      List<String> launcher, Map<String, String> environment, List<String> options)
      throws IOException {
    makeClassCache();
    List<String> cached =
        List.of("-XX:AOTCache=" + CLASS_CACHE, "-Xlog:aot*=off", "-Xlog:cds*=off");
    return startJava(
        launcher, environment, Stream.concat(cached.stream(), options.stream()).toList());
  }

  /**
   * A start with loaded and linked classes needs a third of the processor time. The first process
   * of tests makes the cache, others wait for it.
   */
  private static synchronized void makeClassCache() throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                TARGET.resolve("tests.aot.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      if (Files.exists(CLASS_CACHE)
          && Files.getLastModifiedTime(CLASS_CACHE).compareTo(Files.getLastModifiedTime(JAR)) > 0) {
        return;
      }
      int port = FreePort.find();
      try (ServiceProcess service =
          startJava(
              List.of(),
              Map.of(),
              List.of(
                  "-XX:AOTCacheOutput=" + CLASS_CACHE,
                  "-XX:TieredStopAtLevel=1",
                  "-Dquarkus.http.port=" + port,
                  "-Dcotenant.webhook.port=0",
                  "-Dcotenant.data.directory=" + TARGET.resolve("service-data/class-cache"),
                  "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"))) {
        service.awaitReady(port);
        service.process.destroy();
        if (!service.hasEnded() || !Files.exists(CLASS_CACHE)) {
          throw new IllegalStateException("no cache of classes: " + service.output());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("while the cache of classes was made");
      }
    }
  }

  private static ServiceProcess startJava(
      List<String> launcher, Map<String, String> environment, List<String> options)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-Dcotenant.home=" + RunningService.root());
    command.addAll(options);
    command.add("-jar");
    command.add(JAR.toString());
    Path output = Files.createTempFile("service", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().remove("KUBERNETES_SERVICE_HOST");
    builder.environment().putAll(environment);
    return new ServiceProcess(builder.start(), output);
  }

  /** What it printed until it ended; if it does not end in time, it is made to. */
  String outputToEnd() throws IOException, InterruptedException {
    if (!process.waitFor(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
    return output();
  }

  /** What it printed so far. */
  String output() throws IOException {
    return Files.readString(output);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it has ended by itself; whether it has. */
  boolean hasEnded() throws InterruptedException {
    return hasEnded(Duration.ofMillis(MAX_WAIT_MILLIS));
  }

  /** Waits no longer than this until it has ended by itself; whether it has. */
  boolean hasEnded(Duration patience) throws InterruptedException {
    return process.waitFor(patience);
  }

  int exitCode() {
    return process.exitValue();
  }

  /** Waits until it says that it is ready. */
  void awaitReady(int port) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest probe =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/health/ready")).build();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MILLIS);
    while (!isUp(client, probe)) {
      if (!process.isAlive() || System.nanoTime() > end) {
        throw new IllegalStateException("the service did not start: " + outputToEnd());
      }
      Thread.sleep(100);
    }
  }

  private static boolean isUp(HttpClient client, HttpRequest probe) throws InterruptedException {
    try {
      return client.send(probe, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Files.delete(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

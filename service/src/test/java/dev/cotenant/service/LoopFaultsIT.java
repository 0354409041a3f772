package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jdi.ObjectReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults in loops of a real process, which a debugger injects: each is healed or ends it. */
class LoopFaultsIT {
  private static final int EXIT_CODE = 3;

  /** From the fault on. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /**
   * The JDK's debugger agent fails itself where the thread that ends the process is interrupted,
   * which stopping a thread that parks does; the process has ended by then.
   */
  private static final String AGENT_FAILED = "threadControl_setPendingInterrupt";

  @TempDir Path data;

  /** A process with a debugger attached. */
  private record Debugged(ServiceProcess service, int port, Debugger debugger)
      implements AutoCloseable {
    private static Debugged start(Path data, String... options)
        throws IOException, InterruptedException, IllegalConnectorArgumentsException {
      int port = FreePort.find();
      int debugger = FreePort.find();
      ServiceProcess service =
          ServiceProcess.start(
              Stream.concat(
                      Stream.of(
                          Debugger.option(debugger),
                          "-XX:TieredStopAtLevel=1",
                          "-XX:ErrorFile=" + data.resolveSibling("error-%p.log"),
                          "-Dquarkus.http.port=" + port,
                          "-Dcotenant.webhook.port=0",
                          "-Dcotenant.webhook.certificate-interval=1s",
                          "-Dcotenant.data.directory=" + data,
                          "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"),
                      Stream.of(options))
                  .toList());
      service.awaitReady(port);
      return new Debugged(service, port, Debugger.attach(debugger));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
      try (HttpClient client = HttpClient.newHttpClient()) {
        return client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
      }
    }

    HttpResponse<String> liveness() throws IOException, InterruptedException {
      return get("/q/health/live");
    }

    /** Names of all. */
    List<String> loops() throws IOException, InterruptedException {
      return get("/q/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("cotenant_loop_restarts_total{"))
          .map(line -> line.replaceFirst(".*loop=\"([^\"]+)\".*", "$1"))
          .toList();
    }

    double restarts(String loop) throws IOException, InterruptedException {
      return get("/q/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("cotenant_loop_restarts_total{"))
          .filter(line -> line.contains("\"" + loop + "\""))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    }

    @Override
    public void close() {
      service.close();
    }
  }

  /** Both in processes of their own, at once, since it takes long until a loop counts as stuck. */
  @Test
  void everyLoopThatIsKilledIsHealedAndOneThatHangsEndsTheProcess() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Debugged hanging = Debugged.start(data.resolve("hanging"))) {
      hanging.debugger().thread("certificate").suspend(); // which no interrupt ends
      Future<String> said = threads.submit(() -> saidWhileDown(hanging));
      everyLoopThatIsKilledIsHealed(data.resolve("killed"));

      assertThat(said.get()).contains("\"DOWN\"").contains("\"certificate\"").contains("stuck");
      assertThat(hanging.service().hasEnded(LIMIT)).isTrue();
      assertThat(hanging.service().exitCode()).isEqualTo(EXIT_CODE);
    }
  }

  /** In one process, one after the other; the last is then left without memory. */
  private static void everyLoopThatIsKilledIsHealed(Path data) throws Exception {
    try (Debugged process = Debugged.start(data)) {
      assertThat(process.liveness().statusCode()).isEqualTo(200);
      List<String> loops = process.loops();
      assertThat(loops)
          .contains(
              "life-cycle", "training", "certificate", "connections-http", "connections-https");
      ObjectReference error = process.debugger().error(NoClassDefFoundError.class);
      for (String loop : loops) {
        isHealed(process, loop, error);
      }
      endsWithoutMemory(process, loops.getLast());
    }
  }

  @Test
  @Tag("long")
  void everyLoopWithoutMemoryEndsTheProcess() throws Exception {
    List<String> loops;
    try (Debugged first = Debugged.start(data.resolve("first"))) {
      loops = first.loops();
    }
    assertThat(loops).isNotEmpty();
    for (String loop : loops) {
      try (Debugged process = Debugged.start(data.resolve(loop))) {
        endsWithoutMemory(process, loop);
      }
    }
  }

  /** From its end on the loop is shown as down, until its new thread runs. */
  private static void isHealed(Debugged process, String loop, ObjectReference error)
      throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    ThreadReference killed = process.debugger().thread(loop);
    killed.disableCollection();
    killed.stop(error);
    while (killed.status() != ThreadReference.THREAD_STATUS_ZOMBIE) {
      assertThat(System.nanoTime()).as("%s is killed", loop).isLessThan(end);
      Thread.sleep(1);
    }
    for (HttpResponse<String> answer = process.liveness();
        answer.statusCode() != 200;
        answer = process.liveness()) {
      assertThat(answer.body()).contains("\"DOWN\"", "\"" + loop + "\"", "dead");
      assertThat(System.nanoTime()).as("%s is healed", loop).isLessThan(end);
    }
    assertThat(process.restarts(loop)).as("restarts of %s", loop).isEqualTo(1);
    assertThat(process.debugger().thread(loop)).isNotEqualTo(killed);
  }

  private static void endsWithoutMemory(Debugged process, String loop) throws Exception {
    process.debugger().thread(loop).stop(process.debugger().outOfMemory());
    assertThat(process.service().hasEnded(LIMIT)).as("%s ends the process", loop).isTrue();
    assertThat(process.service().outputToEnd())
        .contains("cotenant: the loop '" + loop + "' has failed, so the process ends")
        .satisfies(output -> {
          if (!output.contains(AGENT_FAILED)) {
            assertThat(process.service().exitCode()).as(loop).isEqualTo(EXIT_CODE);
          }
        });
  }

  /** The option of the launcher and of the images, which needs no loop to notice. */
  @Test
  void aHeapThatIsTakenEndsTheProcess() throws Exception {
    try (Debugged process = Debugged.start(data, "-XX:+ExitOnOutOfMemoryError")) {
      assertThatThrownBy(() -> process.debugger().take(1L << 30))
          .isInstanceOf(VMDisconnectedException.class);
      assertThat(process.service().hasEnded(LIMIT)).isTrue();
      assertThat(process.service().exitCode()).isEqualTo(EXIT_CODE);
      assertThat(process.service().outputToEnd()).contains("java.lang.OutOfMemoryError");
    }
  }

  private static String saidWhileDown(Debugged process) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    HttpResponse<String> answer = process.liveness();
    while (answer.statusCode() == 200) {
      assertThat(System.nanoTime()).as("down within two minutes").isLessThan(end);
      Thread.sleep(100);
      answer = process.liveness();
    }
    return answer.body();
  }
}

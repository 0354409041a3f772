package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.ObjectReference;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults in loops of a real process, which a debugger injects: it ends, and says so meanwhile. */
class LoopFaultsIT {
  private static final int EXIT_CODE = 3;

  @TempDir Path data;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private ServiceProcess start(int port, int debugger) throws IOException {
    return ServiceProcess.start(
        List.of(
            Debugger.option(debugger),
            "-Dquarkus.http.port=" + port,
            "-Dcotenant.webhook.port=0",
            "-Dcotenant.webhook.certificate-interval=1s",
            "-Dcotenant.data.directory=" + data,
            "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"));
  }

  private static HttpResponse<String> liveness(int port) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/health/live"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aLoopWithoutMemoryEndsTheProcess() throws Exception {
    int port = freePort();
    int debugger = freePort();
    try (ServiceProcess service = start(port, debugger)) {
      service.awaitReady(port);
      assertThat(liveness(port).statusCode()).isEqualTo(200);
      Debugger attached = Debugger.attach(debugger);
      // Those that the Java runtime has made in case there is no memory for one.
      ObjectReference error =
          attached
              .machine()
              .classesByName("java.lang.OutOfMemoryError")
              .getFirst()
              .instances(1)
              .getFirst();
      attached.thread("life-cycle").stop(error);

      assertThat(service.hasEnded()).isTrue();
      assertThat(service.exitCode()).isEqualTo(EXIT_CODE);
      assertThat(service.outputToEnd())
          .contains("cotenant: the loop 'life-cycle' has failed, so the process ends");
    }
  }

  @Test
  void aLoopThatHangsIsShownByLivenessAndEndsTheProcess() throws Exception {
    int port = freePort();
    int debugger = freePort();
    try (ServiceProcess service = start(port, debugger)) {
      service.awaitReady(port);
      Debugger.attach(debugger).thread("certificate").suspend(); // which no interrupt ends
      String said = saidWhileDown(port);

      assertThat(said).contains("\"DOWN\"").contains("\"certificate\"").contains("stuck");
      assertThat(service.hasEnded()).isTrue();
      assertThat(service.exitCode()).isEqualTo(EXIT_CODE);
    }
  }

  private static String saidWhileDown(int port) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    HttpResponse<String> answer = liveness(port);
    while (answer.statusCode() == 200) {
      assertThat(System.nanoTime()).as("down within two minutes").isLessThan(end);
      Thread.sleep(100);
      answer = liveness(port);
    }
    return answer.body();
  }
}

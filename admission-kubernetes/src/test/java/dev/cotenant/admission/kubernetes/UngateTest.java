package dev.cotenant.admission.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UngateTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final Ungate ungate = new Ungate(bench.server, Duration.ofMillis(10));

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void letsTwoThousandPodsGoWhileOthersChangeThem() throws IOException, InterruptedException {
    for (int i = 0; i < 2_000; i++) {
      bench.create(Manifests.gatedPod("held-" + i));
    }
    bench.create(Manifests.gpuPod("free"));
    AtomicInteger patches = new AtomicInteger();
    bench.fake.script(request ->
        request.method().equals("PATCH") && patches.incrementAndGet() % 50 == 0
            ? Optional.of(Scripted.of(409, "{}"))
            : Optional.empty());

    Ungate.Report report = ungate.ungateAll();

    assertThat(report.ungated()).isEqualTo(2_000);
    assertThat(report.isComplete()).isTrue();
    assertThat(bench.fake.list("pods"))
        .allSatisfy(pod -> assertThat(pod.at("/spec/schedulingGates")).isEmpty());
  }

  @Test
  void anAnswerThatIsLostIsAskedForAgain() throws IOException, InterruptedException {
    bench.create(Manifests.gatedPod("held"));
    AtomicInteger requested = new AtomicInteger();
    bench.fake.script(request ->
        request.method().equals("PATCH") || requested.incrementAndGet() % 3 == 0
            ? Optional.empty()
            : Optional.of(Scripted.HANG_UP));

    ungate.removeWebhooks("cotenant");

    assertThat(ungate.ungateAll().ungated()).isEqualTo(1);
  }

  @Test
  void aServerThatNeverAnswersIsAnError() {
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));

    assertThatThrownBy(ungate::ungateAll).isInstanceOf(IOException.class);
  }

  @Test
  void leavesTheGatesOfOthers() throws IOException, InterruptedException {
    ObjectNode pod = Manifests.gatedPod("held");
    pod.withObject("/spec").withArray("schedulingGates").insertObject(0).put("name", "other/gate");
    bench.create(pod);

    assertThat(ungate.ungateAll().ungated()).isEqualTo(1);
    assertThat(bench.fake.list("pods").getFirst().at("/spec/schedulingGates").toString())
        .isEqualTo("[{\"name\":\"other/gate\"}]");
  }

  @Test
  void aGateThatMovedMeanwhileIsFound() throws IOException, InterruptedException {
    ObjectNode pod = Manifests.gatedPod("held");
    pod.withObject("/spec").withArray("schedulingGates").insertObject(0).put("name", "other/gate");
    bench.create(pod);
    AtomicInteger patches = new AtomicInteger();
    bench.fake.script(request -> {
      if (request.method().equals("PATCH") && patches.incrementAndGet() == 1) {
        ObjectNode now = bench.fake.find("pods", "team-a", "held").orElseThrow();
        now.withObject("/spec").withArray("schedulingGates").remove(0);
        bench.fake.replace("pods", now);
      }
      return Optional.empty();
    });

    assertThat(ungate.ungateAll().ungated()).isEqualTo(1);
    assertThat(bench.fake.list("pods").getFirst().at("/spec/schedulingGates")).isEmpty();
  }

  @Test
  void saysWhichPodsAreStillHeld() throws IOException, InterruptedException {
    bench.create(Manifests.gatedPod("held"));
    bench.fake.script(request ->
        request.method().equals("PATCH")
            ? Optional.of(Scripted.of(403, "{\"message\": \"pods is forbidden\"}"))
            : Optional.empty());

    Ungate.Report report = ungate.ungateAll();

    assertThat(report.isComplete()).isFalse();
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().getFirst()).contains("team-a/pods/held", "pods is forbidden");
  }

  @Test
  void podsThatCannotBeListedAreAnError() {
    bench.fake.script(_ -> Optional.of(Scripted.of(403, "{\"message\": \"forbidden\"}")));

    assertThatThrownBy(ungate::ungateAll)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("forbidden");
  }

  @Test
  void removesWebhooksThatAreThere() throws IOException, InterruptedException {
    bench.fake.create(
        "mutatingwebhookconfigurations",
        "",
        Manifests.json("{\"metadata\": {\"name\": \"cotenant\"}}"));

    ungate.removeWebhooks("cotenant");
    ungate.removeWebhooks("cotenant");

    assertThat(bench.fake.list("mutatingwebhookconfigurations")).isEmpty();
  }
}

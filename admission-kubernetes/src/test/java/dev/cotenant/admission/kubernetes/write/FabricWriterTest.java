package dev.cotenant.admission.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.kubernetes.write.WriteListener.Outcome;
import dev.cotenant.admission.review.JsonPatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FabricWriterTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final AtomicBoolean mayWrite = new AtomicBoolean(true);
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final FabricWriter writer =
      new FabricWriter(
          bench.loopContext(),
          mayWrite::get,
          "pod-1",
          (kind, outcome) -> outcomes.add(kind + " " + outcome));

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void letsAPodGoWithOnePatch() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));

    assertThat(patch(pod, grant(pod))).isEqualTo(new WriteResult.Done());

    JsonNode after = bench.fake.find("pods", "team-a", "held").orElseThrow();
    assertThat(after.at("/spec/schedulingGates")).isEmpty();
    assertThat(after.at("/spec/nodeSelector/kubernetes.io~1hostname").asText()).isEqualTo("n1");
    assertThat(after.at("/metadata/annotations/cotenant.dev~1assigned-gpu").asText())
        .isEqualTo("GPU-1");
    assertThat(bench.fake.requests().getLast().header("Content-Type"))
        .isEqualTo("application/json-patch+json");
    assertThat(bench.fake.requests().getLast().header("Authorization")).isEqualTo("Bearer test");
    assertThat(outcomes).containsExactly("PATCH DONE");
  }

  @Test
  void aPodThatChangedMeanwhileIsAConflict() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.replace("pods", bench.fake.find("pods", "team-a", "held").orElseThrow());

    assertThat(patch(pod, grant(pod))).isEqualTo(new WriteResult.Conflict());
  }

  @Test
  void bindsAPodWithAnnotationsInOneWrite() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("train"));
    bench.fake.script(_ -> Optional.of(Scripted.of(201, "{\"kind\": \"Status\"}")));

    assertThat(bind(pod)).isEqualTo(new WriteResult.Done());

    Request request = bench.fake.requests().getLast();
    assertThat(request.path()).isEqualTo("/api/v1/namespaces/team-a/pods/train/binding");
    JsonNode body = Json.parse(request.body());
    assertThat(body.at("/metadata/uid").asText()).isEqualTo(pod.uid());
    assertThat(body.at("/metadata/resourceVersion").asText()).isEqualTo(pod.resourceVersion());
    assertThat(body.at("/metadata/annotations/cotenant.dev~1assigned-gpu").asText())
        .isEqualTo("GPU-1");
    assertThat(body.at("/target/name").asText()).isEqualTo("n1");
    assertThat(outcomes).containsExactly("BIND DONE");
  }

  @ParameterizedTest
  @CsvSource({"409, Conflict", "404, Gone", "403, Refused", "500, Unknown"})
  void tellsWhyAPodIsNotBound(int code, String result) throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("train"));
    bench.fake.script(_ -> Optional.of(Scripted.of(code, "{}")));

    assertThat(bind(pod).getClass().getSimpleName()).isEqualTo(result);
  }

  private WriteResult bind(WatchedPod pod) throws InterruptedException {
    Map<String, String> annotations = Map.of("cotenant.dev/assigned-gpu", "GPU-1");
    Binding binding = new Binding(pod.pod(), pod.uid(), pod.resourceVersion(), "n1", annotations);
    return Written.await(done -> writer.bind(binding, done));
  }

  @Test
  void aPodThatIsGoneIsGone() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.delete("pods", "team-a", "held");

    assertThat(patch(pod, grant(pod))).isEqualTo(new WriteResult.Gone());
    assertThat(delete(pod)).isEqualTo(new WriteResult.Gone());
  }

  @Test
  void whatValidationDoesNotAcceptIsRefused() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("running"));
    JsonPatch late =
        new JsonPatch(
            List.of(new JsonPatch.Add("/spec/nodeSelector", Json.object().put("a", "b"))));

    assertThat(patch(pod, late))
        .isInstanceOfSatisfying(
            WriteResult.Refused.class,
            refused -> assertThat(refused.why()).contains("422", "spec.nodeSelector"));
  }

  @Test
  void deletesOnlyThePodThatItMeans() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("p"));
    bench.fake.delete("pods", "team-a", "p");
    bench.fake.create("pods", "team-a", Manifests.gpuPod("p"));
    assertThat(delete(pod)).as("another pod has its name").isEqualTo(new WriteResult.Gone());
    assertThat(bench.fake.find("pods", "team-a", "p")).isPresent();

    WatchedPod other = Bench.watched(bench.fake.find("pods", "team-a", "p").orElseThrow());
    assertThat(delete(other)).isEqualTo(new WriteResult.Done());
    assertThat(bench.fake.find("pods", "team-a", "p")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "200, DONE",
    "201, DONE",
    "409, CONFLICT",
    "404, GONE",
    "422, CONFLICT",
    "400, REFUSED",
    "401, REFUSED",
    "403, REFUSED",
    "500, UNKNOWN",
    "503, UNKNOWN",
    "504, UNKNOWN"
  })
  void everyAnswerHasAMeaning(int code, Outcome meaning) throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.script(
        _ -> Optional.of(Scripted.of(code, "{\"kind\": \"Status\", \"message\": \"because\"}")));

    WriteResult written = patch(pod, grant(pod));

    assertThat(outcomes).containsExactly("PATCH " + meaning);
    if (written instanceof WriteResult.Refused(String why)) {
      assertThat(why).isEqualTo("HTTP " + code + ": because");
    }
  }

  /**
   * A conflict would be waited out: for a change of the pod, of which nothing says that it comes.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"kind": "Status", "code": 422, "reason": "Invalid",
         "message": "pods \\"held\\" is forbidden: ValidatingAdmissionPolicy 'no-gpu' with binding \
        'all' denied request: no GPUs here",
         "details": {"name": "held", "kind": "pods",
          "causes": [{"message": "ValidatingAdmissionPolicy 'no-gpu' ... denied request"}]}}
        """,
        """
        {"kind": "Status", "code": 422,
         "message": "admission webhook \\"pods.example.com\\" denied the request: no GPUs here"}
        """,
        """
        {"message": "a proxy that stands before the API server says: no GPUs here"}
        """
      })
  void aPolicyThatDeniesIsARefusal(String body) throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.script(_ -> Optional.of(Scripted.of(422, body)));

    assertThat(patch(pod, grant(pod)))
        .isInstanceOfSatisfying(
            WriteResult.Refused.class,
            refused -> assertThat(refused.why()).contains("no GPUs here"));
  }

  @Test
  void aLookShowsHowAPodIsNow() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    patch(pod, grant(pod));

    assertThat(look(pod))
        .isInstanceOfSatisfying(
            PodLookupResult.There.class,
            there -> {
              assertThat(there.now().hasOurGate()).isFalse();
              assertThat(there.now().resourceVersion()).isNotEqualTo(pod.resourceVersion());
            });
    assertThat(bench.fake.requests().getLast().path())
        .as("from no cache")
        .doesNotContain("resourceVersion");
  }

  @Test
  void aLookAtAPodThatIsGoneSaysSoThoughAnotherHasItsName() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.delete("pods", "team-a", "held");
    assertThat(look(pod)).isEqualTo(new PodLookupResult.Gone());

    bench.create(Manifests.gatedPod("held"));
    assertThat(look(pod)).isEqualTo(new PodLookupResult.Gone());
  }

  @ParameterizedTest
  @CsvSource({"403, {}", "500, {}", "200, {}", "200, {\"items\": 1}"})
  void aLookThatShowsNoListSaysNothing(int code, String body) throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.script(_ -> Optional.of(Scripted.of(code, body)));

    assertThat(look(pod)).isInstanceOf(PodLookupResult.Unknown.class);
  }

  private PodLookupResult look(WatchedPod pod) throws InterruptedException {
    BlockingQueue<PodLookupResult> answers = new LinkedBlockingQueue<>();
    writer.read(pod.pod(), pod.uid(), answers::add);
    return Objects.requireNonNull(answers.poll(10, TimeUnit.SECONDS), "nobody answered");
  }

  @Test
  void anAnswerThatDoesNotComeIsUnknown() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));

    assertThat(patch(pod, grant(pod))).isInstanceOf(WriteResult.Unknown.class);
    assertThat(bench.fake.requests()).as("it is not sent again").hasSize(1);
  }

  @Test
  void anAnswerThatComesTooLateIsUnknown() throws InterruptedException, IOException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    CountDownLatch given = new CountDownLatch(1);
    bench.fake.script(_ -> {
      try {
        given.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return Optional.empty();
    });
    Path kubeconfig = bench.fake.kubeconfig(folder, "test");
    try (ApiServer hasty = ApiServer.of(Optional.of(kubeconfig), Duration.ofMillis(300))) {
      FabricWriter writer =
          new FabricWriter(
              new LoopContext(hasty, bench.loopContext().supervisor()),
              mayWrite::get,
              "pod-1",
              WriteListener.NONE);

      assertThat(Written.<WriteResult>await(done -> writer.patch(pod, grant(pod), done)))
          .isInstanceOf(WriteResult.Unknown.class);
    } finally {
      given.countDown();
    }
  }

  @Test
  void aServerWithoutTimeIsAskedAgainWhenItSays() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    AtomicInteger requested = new AtomicInteger();
    bench.fake.script(_ ->
        requested.incrementAndGet() < 3
            ? Optional.of(new Scripted(429, "{}", Map.of("Retry-After", "1")))
            : Optional.empty());

    assertThat(patch(pod, grant(pod))).isEqualTo(new WriteResult.Done());
    assertThat(requested).hasValue(3);
  }

  @Test
  void nothingIsSentOnceItMayNot() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    mayWrite.set(false);

    assertThat(patch(pod, grant(pod))).isInstanceOf(WriteResult.Refused.class);
    assertThat(bench.fake.requests()).isEmpty();
    assertThat(outcomes).containsExactly("PATCH DROPPED");
  }

  @Test
  void manyWritesAreSentAFewAtATime() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    bench.fake.script(_ -> {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
      now.decrementAndGet();
      return Optional.empty();
    });
    List<WatchedPod> pods =
        java.util.stream.IntStream.range(0, 300)
            .mapToObj(i -> bench.create(Manifests.gatedPod("held-" + i)))
            .toList();
    BlockingQueue<WriteResult> done = new LinkedBlockingQueue<>();
    pods.forEach(pod -> writer.patch(pod, grant(pod), done::add));

    for (int i = 0; i < 300; i++) {
      assertThat(done.poll(60, TimeUnit.SECONDS)).isEqualTo(new WriteResult.Done());
    }
    assertThat(most.get()).isLessThanOrEqualTo(32);
  }

  @Test
  void tellsEventsThatDescribeShows() {
    WatchedPod pod = bench.create(Manifests.gatedPod("held"));
    writer.report(pod, new PodEvent(PodEvent.Weight.WARNING, "Held", "no capacity: 9 GiB > 8 GiB"));
    Eventually.holds("the event is there", () -> !bench.fake.list("events").isEmpty());

    JsonNode event = bench.fake.list("events").getFirst();
    assertThat(event.at("/involvedObject/uid").asText()).isEqualTo(pod.uid());
    assertThat(event.path("type").asText()).isEqualTo("Warning");
    assertThat(event.path("reason").asText()).isEqualTo("Held");
    assertThat(event.path("message").asText()).isEqualTo("no capacity: 9 GiB > 8 GiB");
    assertThat(event.at("/metadata/namespace").asText()).isEqualTo("team-a");
  }

  @Test
  void messagesAreCutBetweenCharacters() {
    String cut = EventBody.cut("é".repeat(2_000));

    assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isBetween(1_020, 1_024);
    assertThat(cut).endsWith("…").doesNotContain("\uFFFD");
    assertThat(EventBody.cut("short")).isEqualTo("short");
  }

  private static JsonPatch grant(WatchedPod pod) {
    return new JsonPatch(
        List.of(
            new JsonPatch.Test(
                "/metadata/resourceVersion", TextNode.valueOf(pod.resourceVersion())),
            new JsonPatch.Add(
                "/metadata/annotations/cotenant.dev~1assigned-gpu", TextNode.valueOf("GPU-1")),
            new JsonPatch.Add(
                "/spec/nodeSelector", Json.object().put("kubernetes.io/hostname", "n1")),
            new JsonPatch.Test("/spec/schedulingGates/0/name", TextNode.valueOf(Manifests.GATE)),
            new JsonPatch.Remove("/spec/schedulingGates/0")));
  }

  private WriteResult patch(WatchedPod pod, JsonPatch patch) throws InterruptedException {
    return Written.await(done -> writer.patch(pod, patch, done));
  }

  private WriteResult delete(WatchedPod pod) throws InterruptedException {
    return Written.await(done -> writer.delete(pod, done));
  }
}

package dev.cotenant.admission.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.kubernetes.state.ConfigMapState;
import dev.cotenant.admission.kubernetes.state.ConfigMaps;
import dev.cotenant.admission.kubernetes.state.StateSource;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.kubernetes.watch.ClusterWatch;
import dev.cotenant.admission.kubernetes.watch.ListWatch;
import dev.cotenant.admission.kubernetes.watch.OptedInNamespaces;
import dev.cotenant.admission.kubernetes.watch.TermWatch;
import dev.cotenant.admission.state.PersistedState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterWatchTest {
  @TempDir static Path folder;

  private final RecordedFeed feed = new RecordedFeed();
  private final OptedInNamespaces optedIn = new OptedInNamespaces();
  private StateSource kept = StateSource.NONE;
  private Bench bench = new Bench(folder);
  private ClusterWatch watch = watch(Duration.ofSeconds(150));

  private ClusterWatch watch(Duration silence) {
    return new ClusterWatch(
        feed,
        new TermWatch.Sources(
            new ListWatch.Means(
                bench.server,
                new ListWatch.Timing(Duration.ofMillis(20), silence),
                bench.process.supervisor),
            new ClusterWatch.Beside(optedIn, kept),
            TermWatch.Healths.of(bench.log::add)));
  }

  @BeforeEach
  void fill() {
    bench.fake.create("namespaces", "", Manifests.namespace("team-a"));
    bench.fake.create("nodes", "", Manifests.node("n1", 2));
    bench.fake.create("pods", "team-a", Manifests.gatedPod("held"));
    bench.fake.create("pods", "team-a", Manifests.plainPod("web"));
  }

  @AfterEach
  void close() {
    watch.lost();
    bench.close();
  }

  private void begin() {
    watch.gained(5);
    Eventually.holds("the term begins", watch::isSynced);
  }

  private long lists() {
    return bench.fake.requests().stream()
        .filter(request -> request.query().containsKey("limit"))
        .count();
  }

  @Test
  void beginsOnceWhenEverythingIsListed() {
    begin();

    assertThat(feed.lines()).containsExactly("5 begin [team-a/held] [n1]");
    assertThat(Stream.of("team-a", "team-b", "team-c").filter(optedIn)).containsExactly("team-a");
    assertThat(watch.age()).isPresent();
  }

  @Test
  void tellsWhatChanges() {
    begin();
    ObjectNode pod = bench.fake.create("pods", "team-b", Manifests.gpuPod("new"));
    bench.fake.create("nodes", "", Manifests.node("n2", 4));
    bench.fake.create("namespaces", "", Manifests.namespace("team-b"));
    Eventually.holds("all are told", () -> feed.lines().size() == 4);

    bench.fake.delete("pods", "team-b", "new");
    bench.fake.delete("nodes", "", "n2");
    bench.fake.delete("namespaces", "", "team-b");
    Eventually.holds("all are told", () -> feed.lines().size() == 7);

    assertThat(feed.lines())
        .contains("5 pod team-b/new", "5 node n2 4", "5 node gone n2")
        .contains("5 gone " + pod.at("/metadata/uid").asText());
    assertThat(Stream.of("team-a", "team-b", "team-c").filter(optedIn)).containsExactly("team-a");
  }

  @Test
  void boundPodsWithoutGpuAndVolumesAreForTheFitOfPods() {
    ObjectNode web = Manifests.plainPod("bound");
    web.withObject("/spec").put("nodeName", "n1");
    String uid = bench.fake.create("pods", "team-a", web).at("/metadata/uid").asText();
    ObjectNode claim = Manifests.json("{\"metadata\": {\"name\": \"data\"}}");
    claim.withObject("/spec").put("volumeName", "pv-1");
    bench.fake.create("persistentvolumeclaims", "team-a", claim);
    begin();
    assertThat(feed.others())
        .containsExactly(
            new ClusterChange.PodSeen(new PlainPod(uid, "team-a", "n1", Footprint.NONE)),
            new ClusterChange.ClaimSeen(new BoundClaim("team-a/data", "pv-1")));

    bench.fake.delete("pods", "team-a", "bound");
    bench.fake.delete("persistentvolumeclaims", "team-a", "data");
    Eventually.holds("both are told", () -> feed.others().size() == 4);
    assertThat(feed.others())
        .contains(new ClusterChange.PodGone(uid), new ClusterChange.ClaimGone("team-a/data"));
    assertThat(feed.lines()).hasSize(1);
  }

  @Test
  void allocatedClaimsAndPublishedGpusAreForTheOccupancy() {
    bench.fake.create(
        "resourceslices",
        "",
        Manifests.json(
            """
            {"metadata": {"name": "n1-gpus"}, "spec": {"driver": "gpu.nvidia.com",
             "nodeName": "n1", "pool": {"name": "n1"}, "devices": [{"name": "gpu-0",
             "attributes": {"uuid": {"string": "GPU-a"}}}]}}
            """));
    bench.fake.create(
        "resourceclaims", "team-a", Manifests.json("{\"metadata\": {\"name\": \"pending\"}}"));
    bench.fake.create(
        "resourceclaims",
        "team-a",
        Manifests.json(
            """
            {"metadata": {"name": "train"}, "status": {"allocation": {"devices": {"results": [
             {"request": "gpu", "driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-0"}]}}}}
            """));
    begin();
    DeviceName gpu = new DeviceName("gpu.nvidia.com", "n1", "gpu-0");
    assertThat(feed.others())
        .containsExactly(
            new ClusterChange.DevicesPublished(
                new PublishedDevices("n1-gpus", "n1", Map.of(gpu, "GPU-a"), Set.of(), Set.of())),
            new ClusterChange.DevicesClaimed(
                new ClaimedDevices("team-a/train", List.of(gpu), Set.of())));

    bench.fake.delete("resourceclaims", "team-a", "train");
    bench.fake.delete("resourceslices", "", "n1-gpus");
    Eventually.holds("both are passed on", () -> feed.others().size() == 4);
    assertThat(feed.others())
        .contains(
            new ClusterChange.DevicesReleased("team-a/train"),
            new ClusterChange.DevicesWithdrawn("n1-gpus"));
  }

  @Test
  void aServerWithoutDynamicResourceAllocationHasNoClaims() {
    bench.fake.script(request ->
        request.path().contains("resource.k8s.io")
            ? Optional.of(Scripted.of(404, ""))
            : Optional.empty());
    begin();

    assertThat(bench.log).noneMatch(line -> line.contains("resourceclaims"));
  }

  @Test
  void aTermBeginsWhereVolumesMayNotBeListed() {
    bench.fake.script(request ->
        request.path().contains("persistentvolume")
            ? Optional.of(Scripted.of(403, ""))
            : Optional.empty());
    begin();

    assertThat(bench.log).anyMatch(line -> line.contains("persistentvolumes cannot be watched"));
  }

  @Test
  void anUnchangedNodeIsNotToldAgain() {
    begin();
    ObjectNode node = bench.fake.find("nodes", "", "n1").orElseThrow();
    node.withObject("/status").putArray("conditions").addObject().put("type", "Ready");
    bench.fake.replace("nodes", node);
    bench.fake.create("nodes", "", Manifests.node("n2", 4));
    Eventually.holds("what came later is told", () -> feed.has("5 node n2 4"));

    assertThat(feed.lines()).hasSize(2);
  }

  @Test
  void goesOnWhereAWatchEnded() {
    begin();
    Eventually.holds("all are watched", () -> bench.fake.watches() == 7);
    bench.fake.endWatches();
    bench.fake.create("pods", "team-a", Manifests.gpuPod("later"));
    Eventually.holds("it is told", () -> feed.has("5 pod team-a/later"));

    assertThat(lists()).as("one for each kind, and no more").isEqualTo(7);
  }

  @Test
  void listsAnewWhatTheServerHasForgotten() {
    begin();
    Eventually.holds("all are watched", () -> bench.fake.watches() == 7);
    bench.fake.script(request ->
        request.query().containsKey("watch")
            ? Optional.of(Scripted.of(503, ""))
            : Optional.empty());
    bench.fake.endWatches();
    String gone =
        bench.fake.find("pods", "team-a", "held").orElseThrow().at("/metadata/uid").asText();
    bench.fake.delete("pods", "team-a", "held");
    bench.fake.create("pods", "team-a", Manifests.gpuPod("later"));
    bench.fake.forget();
    Eventually.holds(
        "it is said", () -> bench.log.stream().anyMatch(line -> line.contains("HTTP 503")));
    bench.fake.script(_ -> Optional.empty());

    Eventually.holds("the new one is told", () -> feed.has("5 pod team-a/later"));
    assertThat(feed.has("5 gone " + gone)).isTrue();
  }

  @Test
  void endsFirstAndTellsNothingAfterwards() {
    begin();
    watch.lost();
    AtomicInteger pods = new AtomicInteger();
    Eventually.holds(
        "nobody watches any more, as the server finds when it has something to tell",
        () -> {
          bench.fake.create("pods", "team-a", Manifests.gpuPod("p" + pods.incrementAndGet()));
          bench.fake.create("nodes", "", Manifests.node("m" + pods.get(), 1));
          bench.fake.create("namespaces", "", Manifests.namespace("s" + pods.get()));
          ObjectNode volume = Manifests.json("{\"metadata\": {\"name\": \"v%s\"}}".formatted(pods));
          bench.fake.create("persistentvolumes", "", volume.deepCopy());
          bench.fake.create("persistentvolumeclaims", "team-a", volume.deepCopy());
          bench.fake.create("resourceclaims", "team-a", volume.deepCopy());
          bench.fake.create("resourceslices", "", volume);
          return bench.fake.watches() == 0;
        });

    assertThat(feed.lines()).last().isEqualTo("5 end");
    assertThat(watch.isSynced()).isFalse();
    assertThat(watch.age()).isEmpty();
  }

  @Test
  void hostileObjectsAreLeftOutAndSaidOnce() {
    ObjectNode odd = Manifests.gpuPod("odd");
    odd.withObject("/spec").put("containers", "none");
    bench.fake.create("pods", "team-a", odd);
    begin();
    bench.fake.replace("pods", bench.fake.find("pods", "team-a", "odd").orElseThrow());
    ObjectNode huge = Manifests.gpuPod("huge");
    huge.withObject("/metadata/annotations").put("x", "y".repeat(1 << 20));
    bench.fake.create("pods", "team-a", huge);
    Eventually.holds("the stream goes on", () -> feed.has("5 pod team-a/huge"));

    assertThat(feed.lines().getFirst()).isEqualTo("5 begin [team-a/held] [n1]");
    assertThat(watch.skipped()).isEqualTo(2);
    assertThat(bench.log).filteredOn(line -> line.contains("Left out")).hasSize(1);
  }

  @Test
  void listsOfManyPagesAreComplete() {
    for (int i = 0; i < 1_200; i++) {
      bench.fake.create("pods", "team-a", Manifests.gpuPod("pod-" + i));
    }
    begin();

    assertThat(feed.lines().getFirst().split("team-a/pod-", -1)).hasSize(1_201);
    assertThat(bench.fake.requests())
        .filteredOn(request -> request.path().equals("/api/v1/pods"))
        .filteredOn(request -> request.query().containsKey("limit"))
        .hasSize(3);
  }

  @Test
  void aServerThatIsDownIsTriedAgain() {
    AtomicInteger requested = new AtomicInteger();
    bench.fake.script(_ ->
        requested.incrementAndGet() < 10
            ? Optional.of(requested.get() % 2 == 0 ? Scripted.of(500, "") : Scripted.HANG_UP)
            : Optional.empty());
    begin();

    assertThat(feed.lines()).containsExactly("5 begin [team-a/held] [n1]");
    assertThat(bench.log).anyMatch(line -> line.contains("cannot be watched"));
  }

  @Test
  void aWatchThatIsSilentForTooLongIsOpenedAnew() {
    watch.lost();
    watch = watch(Duration.ofMillis(400));
    begin();
    Eventually.holds(
        "watches are opened again",
        () ->
            bench.fake.requests().stream()
                    .filter(request -> request.query().containsKey("watch"))
                    .count()
                > 10);
    bench.fake.create("pods", "team-a", Manifests.gpuPod("later"));
    Eventually.holds("nothing is lost", () -> feed.has("5 pod team-a/later"));

    assertThat(lists()).isEqualTo(7);
    assertThat(bench.log).as("a quiet cluster is no failure").isEmpty();
  }

  @Test
  void aDefectInTakingOverIsToldAndItIsTriedAgain() {
    AtomicInteger requested = new AtomicInteger();
    kept =
        new StateSource() {
          @Override
          public PersistedState claim(long term) {
            if (requested.incrementAndGet() < 3) {
              throw new IllegalStateException("a defect");
            }
            return PersistedState.NOTHING;
          }

          @Override
          public void close() {}
        };
    watch = watch(Duration.ofSeconds(150));
    begin();

    assertThat(feed.lines()).containsExactly("5 begin [team-a/held] [n1]");
    assertThat(bench.log).anyMatch(line -> line.contains("a defect"));
  }

  @Test
  void aTermBeginsWithoutNotesThatCannotBeClaimedButNotWithoutReservations() {
    bench.fake.script(request ->
        request.path().contains("gate-state")
            ? Optional.of(Scripted.of(403, ""))
            : Optional.empty());
    kept = keptState();
    watch = watch(Duration.ofSeconds(150));
    begin();
    assertThat(bench.log).anyMatch(line -> line.contains("Term 5 begins without the state"));
    watch.lost();

    bench.fake.script(request ->
        request.path().contains("gate-reservations")
            ? Optional.of(Scripted.of(403, ""))
            : Optional.empty());
    watch.gained(6);
    Eventually.holds(
        "it is said",
        () -> bench.log.stream().anyMatch(line -> line.contains("gate-reservations-0")));
    assertThat(watch.isSynced()).isFalse();
  }

  private ConfigMapState keptState() {
    return new ConfigMapState(
        new ConfigMaps(bench.server, "cotenant-system", () -> true, bench.log::add),
        "gate",
        new PodLookup(bench.server),
        bench.log::add);
  }

  @Test
  void aNewTermListsAnew() {
    begin();
    watch.lost();
    bench.fake.create("pods", "team-a", Manifests.gpuPod("between"));
    watch.gained(6);
    Eventually.holds("the term begins", watch::isSynced);

    assertThat(feed.lines())
        .containsExactly(
            "5 begin [team-a/held] [n1]", "5 end", "6 begin [team-a/between, team-a/held] [n1]");
  }
}

package dev.cotenant.admission.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.gate.FakeGpus;
import dev.cotenant.admission.gate.GateBench;
import dev.cotenant.admission.gate.StoredPod;
import dev.cotenant.admission.inventory.GrantReader.Read;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Share;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantReaderTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private final Inventory inventory =
      new Inventory(_ -> DeviceCatalogue.builtIn().find("a100-40gb"));
  private final GrantReader reader = new GrantReader(new FakePredictor(), inventory);
  private final StoredPod pod = new GateBench(1).pod("train", "resnet50", 10, 1);

  @BeforeEach
  void aShareOnTheFirstOfTwoNodes() {
    FakeGpus gpus = new FakeGpus(Map.of("n1", List.of("GPU-a"), "n2", List.of("GPU-b", "GPU-c")));
    gpus.nodes().forEach(inventory::put);
    inventory.refresh(gpus.measure(NOW, List.of(), Set.of()));
    pod.annotations.putAll(
        Map.of(
            CotenantAnnotations.DECISION, "Admitted",
            CotenantAnnotations.ASSIGNED_NODE, "n1",
            CotenantAnnotations.ASSIGNED_GPU, "GPU-a",
            CotenantAnnotations.PREDICTED_UTILIZATION, "71.3",
            CotenantAnnotations.PREDICTED_MEMORY, "7423Mi",
            CotenantAnnotations.GRANTED_AT, "2026-11-21T11:00:00Z"));
  }

  private Read read() {
    return reader.read(pod.watched(), Policies.of(Policy.DEFAULT));
  }

  @Test
  void readsAShareWithItsBoundsAsTheyWereWritten() {
    PodGrant grant = ((Read.Granted) read()).grant();

    assertThat(grant.extent()).isEqualTo(PodGrant.Extent.SHARE);
    assertThat(grant.gpus()).containsExactly("GPU-a");
    assertThat(grant.grantedAt()).isEqualTo("2026-11-21T11:00:00Z");
    var prediction = Objects.requireNonNull(grant.admitted().grants().getFirst().prediction());
    assertThat(prediction.utilization().upper().percent()).isEqualTo(71.3);
    assertThat(prediction.utilization().mean().percent()).isEqualTo(71.3);
    assertThat(prediction.peakMemory().upper().toMiB()).isEqualTo(7423);
    assertThat(grant.slowdownLimit().ratio()).isEqualTo(1.15);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"1.084, 1.084", "3.928, 1.15", "0.9, 1", "Infinity, 1", "'', 1"})
  void limitsTheSlowdownToWhatTheLatencyObjectiveStands(String annotation, double ratio) {
    pod.annotations.put(CotenantAnnotations.OBJECTIVE_SLOWDOWN, annotation);

    assertThat(((Read.Granted) read()).grant().slowdownLimit().ratio()).isEqualTo(ratio);
  }

  /** The policy's budget is 10 %, once learned. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "2.5% always, 0.025, ALWAYS",
    "0% learned, 0, LEARNED",
    "100% off, 1, OFF",
    "100.1% off, 0.1, LEARNED",
    "-1% always, 0.1, LEARNED",
    "NaN% always, 0.1, LEARNED",
    "5% never, 0.1, LEARNED",
    "'', 0.1, LEARNED"
  })
  void holdsTheBudgetOfRiskThatStoodAtTheGrant(
      String annotation, double budget, RiskLimit.Rule rule) {
    pod.annotations.put(CotenantAnnotations.GRANTED_RISK, annotation);

    assertThat(((Read.Granted) read()).grant().risk()).isEqualTo(new RiskLimit(budget, rule));
  }

  /** A leader counts the trials that others have granted. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "10% learned; trials 5% up to 35%; in a trial, 0.05, 0.35, true",
    "10% always; trials 5% up to 35%, 0.05, 0.35, false",
    "10% learned; trials 101% up to 35%, 0, 0.35, false",
    "10% learned; trials 5% up to 350%, 0, 0.35, false",
    "10% learned; in a trial, 0, 0.35, false",
  })
  void readsWhetherItCameInATrial(String annotation, double share, double mostRisk, boolean isOne) {
    pod.annotations.put(CotenantAnnotations.GRANTED_RISK, annotation);

    assertThat(((Read.Granted) read()).grant().risk().exploration())
        .isEqualTo(new RiskLimit.Exploration(share, mostRisk, isOne));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "28800s, 28800",
    "1s, 1",
    "8h,",
    "-5s,",
    "99999999999s,",
    "'',",
  })
  void readsTheStayThatWasExpectedAtTheGrant(String annotation, @Nullable Long seconds) {
    pod.annotations.put(CotenantAnnotations.GRANTED_STAY, annotation);

    PodGrant grant = ((Read.Granted) read()).grant();

    var prediction = Objects.requireNonNull(grant.admitted().grants().getFirst().prediction());
    assertThat(prediction.stay())
        .isEqualTo(seconds == null ? null : java.time.Duration.ofSeconds(seconds));
  }

  private record Partition(Share share) implements ServicePartition {
    @Override
    public ServicePartition in(Share other) {
      return new Partition(other);
    }

    @Override
    public ServicePartition within(Share limit) {
      return new Partition(limit);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "30, 30",
    "100, 100",
    "0, 100",
    "101, 100",
    "-5, 100",
    "3.5, 100",
    "NaN, 100",
    "'', 100",
  })
  void readsThePartitionOfAProfiledService(String annotation, int percent) {
    pod.annotations.put(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, annotation);
    WorkloadPredictor profiled =
        (workload, devices, level) ->
            switch (new FakePredictor().predict(workload, devices, level)) {
              case WorkloadPredictor.Outcome.Predicted(var predicted) -> {
                Map<DeviceId, Prediction> all = new HashMap<>(predicted);
                all.replaceAll((_, one) -> one.withPartition(new Partition(Share.WHOLE)));
                yield new WorkloadPredictor.Outcome.Predicted(all);
              }
              case WorkloadPredictor.Outcome.UnknownModel unknown -> unknown;
            };

    Read read =
        new GrantReader(profiled, inventory).read(pod.watched(), Policies.of(Policy.DEFAULT));

    PodGrant grant = ((Read.Granted) read).grant();
    var prediction = Objects.requireNonNull(grant.admitted().grants().getFirst().prediction());
    assertThat(prediction.partition()).isEqualTo(new Partition(Share.ofPercent(percent)));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"61.2, 61.2", "0.0, 0", "71.4, 71.3", "-1, 71.3", "NaN, 71.3", "'', 71.3"})
  void readsTheMeanOfUtilizationUpToItsBound(String annotation, double percent) {
    pod.annotations.put(CotenantAnnotations.PREDICTED_UTILIZATION_MEAN, annotation);

    PodGrant grant = ((Read.Granted) read()).grant();

    var prediction = Objects.requireNonNull(grant.admitted().grants().getFirst().prediction());
    assertThat(prediction.utilization().mean().percent()).isEqualTo(percent);
    assertThat(prediction.utilization().upper().percent()).isEqualTo(71.3);
  }

  @Test
  void readsWholeGpusWithoutAPrediction() {
    pod.annotations.put(CotenantAnnotations.DECISION, "Exclusive");
    pod.annotations.put(CotenantAnnotations.ASSIGNED_NODE, "n2");
    pod.annotations.put(CotenantAnnotations.ASSIGNED_GPU, "GPU-b,GPU-c");
    pod.annotations.remove(CotenantAnnotations.PREDICTED_MEMORY);

    PodGrant grant = ((Read.Granted) read()).grant();

    assertThat(grant.extent()).isEqualTo(PodGrant.Extent.WHOLE);
    assertThat(grant.gpus()).containsExactly("GPU-b", "GPU-c");
  }

  @Test
  void findsNothingInPodsThatWereNotDecidedOnOrLetGo() {
    for (String decision : List.of("Unmanaged", "Held", "Denied", "")) {
      pod.annotations.keySet().removeIf(name -> !name.equals(CotenantAnnotations.ADMISSION_ID));
      pod.annotations.put(CotenantAnnotations.DECISION, decision);
      assertThat(read()).as(decision).isEqualTo(new Read.Nothing());
    }
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "decision, Perhaps",
    "assigned-node, n3",
    "assigned-node, ''",
    "assigned-gpu, GPU-elsewhere",
    "assigned-gpu, GPU-b",
    "assigned-gpu, ''",
    "assigned-gpu, 'GPU-a,GPU-a'",
    "assigned-gpu, 'GPU-a,'",
    "assigned-gpu, '../../etc/passwd'",
    "predicted-utilization, 100.1",
    "predicted-utilization, -1",
    "predicted-utilization, NaN",
    "predicted-utilization, 1e2",
    "predicted-utilization, ''",
    "predicted-memory, 7423",
    "predicted-memory, -5Mi",
    "predicted-memory, 99999999999999999999Mi",
    "predicted-memory, ''",
  })
  void believesNothingThatIsBroken(String name, String value) {
    pod.annotations.put(CotenantAnnotations.PREFIX + name, value);

    assertThat(read()).isInstanceOf(Read.Broken.class);
  }

  @Test
  void believesNoGrantOfAnotherNodeThanThePodIsOn() {
    pod.node = "n2";

    assertThat(read()).isEqualTo(new Read.Broken("it runs on n2 and was granted capacity on n1"));
  }

  @Test
  void takesTheCreationWhereTheTimeOfTheGrantCannotBeRead() {
    pod.annotations.put(CotenantAnnotations.GRANTED_AT, "yesterday");

    assertThat(((Read.Granted) read()).grant().grantedAt()).isEqualTo(pod.createdAt);
  }

  @Test
  void endsWithAnAnswerWhateverIsWritten() {
    Random random = new Random(20261121);
    List<String> names =
        CotenantAnnotations.WRITTEN.stream().filter(n -> !n.endsWith("admission-id")).toList();
    Map<String, String> before = new HashMap<>(pod.annotations);
    for (int i = 0; i < 2_000; i++) {
      pod.annotations.putAll(before);
      String name = names.get(random.nextInt(names.size()));
      String value = pod.annotations.getOrDefault(name, "");
      int at = random.nextInt(value.length() + 1);
      char noise = (char) random.nextInt(0x20, 0x2fff);
      pod.annotations.put(name, value.substring(0, at) + noise + value.substring(at));

      assertThat(read()).isNotNull();
    }
  }
}

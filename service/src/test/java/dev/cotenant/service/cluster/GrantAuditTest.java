package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Two pods share a GPU of 40 GiB, granted by version v1 with upper bounds of 40 % and 10 GiB. */
class GrantAuditTest {
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<String> notices = new ArrayList<>();
  private List<ActiveGrant> grants = List.of(share("a"), share("b"));
  private String version = "v1";
  private double percent = 40;
  private long gibibytes = 10;
  private Slowdown slowdownLimit = Slowdown.ofRatio(2);

  private final GrantAudit review =
      new GrantAudit(
          new GrantAudit.Sources(
              () -> grants,
              this::cluster,
              (_, _, _) -> new Outcome.Predicted(Map.of(A100.id(), now())),
              () -> version,
              new GrantAudit.Rules(Policies.of(Policy.DEFAULT), Engine.standard().decider())),
          (grant, why) -> notices.add(grant.pod() + " " + why),
          meters);

  private Prediction now() {
    return prediction(version, percent, gibibytes);
  }

  private static Prediction prediction(String version, double percent, long gibibytes) {
    return new Prediction(
        A100.id(),
        32,
        RunSettings.DEFAULT,
        new UtilizationEstimate(
            Utilization.ofPercent(percent / 2),
            Utilization.IDLE,
            Utilization.ofPercent(percent),
            Coverage.of(0.9)),
        new MemoryEstimate(
            MemorySize.ofGiB(gibibytes),
            MemorySize.ZERO,
            MemorySize.ofGiB(gibibytes),
            Coverage.of(0.9)),
        version,
        List.of());
  }

  private static ActiveGrant share(String name) {
    return new ActiveGrant(
        "uid-" + name,
        new PodIdentity("team", name, null),
        true,
        new Decision.Admitted(
            List.of(new Grant("GPU-1", "node", prediction("v1", 40, 10))),
            new Evidence.Recorded("granted")),
        Optional.of(new Workload("resnet50", 32, RunSettings.DEFAULT)),
        GpuAssignment.of(Policy.GpuAssignment.VISIBLE_DEVICES));
  }

  private ClusterSnapshot cluster() {
    Prediction granted = prediction("v1", 40, 10);
    List<Tenant> tenants = new ArrayList<>();
    for (String name : List.of("team/a", "team/b")) {
      tenants.add(
          new Tenant(name, granted.utilization(), granted.peakMemory(), slowdownLimit, NOW, null));
    }
    return new ClusterSnapshot(
        NOW,
        List.of(
            new GpuSnapshot(
                "GPU-1",
                "node",
                A100,
                MemorySize.ofGiB(40),
                new Tenancy.Shared(tenants),
                new MemoryObservation.Unmeasured())));
  }

  private double outsideLimits() {
    return meters.get("cotenant.grants.outside.limits").gauge().value();
  }

  private void promote(String label, double upperPercent, long upperGibibytes) {
    version = label;
    percent = upperPercent;
    gibibytes = upperGibibytes;
    review.review();
  }

  @Test
  void saysNothingOfGrantsByTheServingVersion() {
    review.review();

    assertThat(review.of("GPU-1")).isEmpty();
    assertThat(outsideLimits()).isZero();
  }

  /* 2 · 60 % is above 100 %. */
  @Test
  void showsGrantsThatThePromotedVersionWouldNotGrant() {
    review.review();
    promote("v2", 60, 10);

    GpuReview found = review.of("GPU-1").orElseThrow();
    assertThat(found.predictor()).isEqualTo("v2");
    assertThat(found.summedUtilizationPercent()).isCloseTo(120, within(1e-9));
    assertThat(found.reasons())
        .containsExactly("upper bounds of utilization on GPU-1 sum to 120.0 %, limit 100.0 %");
    assertThat(found.grants()).containsOnlyKeys("team/a", "team/b");
    assertThat(outsideLimits()).isEqualTo(2);
    assertThat(notices).hasSize(2).allMatch(line -> line.contains("v2") && line.contains("120.0"));
  }

  @Test
  void reportsEachGrantOnceForEachPromotion() {
    review.review();
    promote("v2", 60, 10);
    review.review();
    assertThat(notices).hasSize(2);

    promote("v3", 70, 10);
    assertThat(notices).hasSize(4);
  }

  @Test
  void showsWithoutReportingWhatWasGrantedBeforeThisProcessKnewIt() {
    promote("v2", 60, 10);

    assertThat(review.of("GPU-1")).isPresent();
    assertThat(notices).isEmpty();
  }

  @Test
  void endsWithARollbackToTheVersionThatGranted() {
    review.review();
    promote("v2", 60, 10);
    promote("v1", 40, 10);

    assertThat(review.of("GPU-1")).isEmpty();
    assertThat(outsideLimits()).isZero();
  }

  /* 2 · 20 GiB is above 40 GiB less 5 %; 2 · 12 GiB is not. */
  @Test
  void judgesPeakMemory() {
    promote("v2", 40, 12);
    assertThat(review.of("GPU-1").orElseThrow().reasons()).isEmpty();

    promote("v3", 40, 20);
    assertThat(review.of("GPU-1").orElseThrow().reasons())
        .containsExactly("upper bounds of peak memory on GPU-1 sum to 40 GiB, limit 38 GiB");
  }

  /* Upper bounds of 45 % each sum to 90 %, which the curve slows down by more than 1.01. */
  @Test
  void judgesSlowdown() {
    slowdownLimit = Slowdown.ofRatio(1.01);
    promote("v2", 45, 10);

    assertThat(review.of("GPU-1").orElseThrow().reasons())
        .singleElement()
        .asString()
        .matches("slowdown on GPU-1 is predicted as 1\\.[0-9]+x, limit 1\\.01x");

    slowdownLimit = Slowdown.ofRatio(2);
    review.review();
    assertThat(review.of("GPU-1").orElseThrow().reasons()).isEmpty();
  }

  /** Constants of engines are learned and rolled back under one version of the predictor. */
  @Test
  void predictsGrantsOfEnginesByTheConstantsInForce() {
    grants = List.of(server("a"), share("b"));
    review.review();
    assertThat(review.of("GPU-1").orElseThrow().reasons()).isEmpty();
    assertThat(notices).isEmpty();

    gibibytes = 30;
    review.review();
    review.review();
    assertThat(review.of("GPU-1").orElseThrow().grants()).containsOnlyKeys("team/a");
    assertThat(review.of("GPU-1").orElseThrow().reasons())
        .containsExactly("upper bounds of peak memory on GPU-1 sum to 40 GiB, limit 38 GiB");
    assertThat(notices)
        .containsExactly(
            "team/a would not be granted by the constants of its engine in force, and keeps its"
                + " grant: upper bounds of peak memory on GPU-1 sum to 40 GiB, limit 38 GiB");

    gibibytes = 10;
    review.review();
    assertThat(outsideLimits()).isZero();
  }

  private static ActiveGrant server(String name) {
    ActiveGrant share = share(name);
    EngineRun run =
        new EngineRun(
            "team", EngineRun.Kind.SERVER, "vllm", "0.19", "org/model", false, Map.of(), List.of());
    return new ActiveGrant(
        share.admissionId(),
        share.pod(),
        true,
        share.admitted(),
        Optional.of(new Workload("org/model", 1, RunSettings.DEFAULT, run)),
        share.gpuAssignment());
  }

  @Test
  void forgetsGrantsThatEnded() {
    promote("v2", 60, 10);
    grants = List.of();
    review.review();

    assertThat(review.of("GPU-1")).isEmpty();
    assertThat(outsideLimits()).isZero();
  }
}

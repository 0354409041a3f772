package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.AdmissionWebhooks;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The mutating webhook in mode Enforce, from the bytes of a review to those of its answer. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class WebhookBenchmark {
  private static final String REVIEW =
      """
      {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE",
        "namespace": "team-a", "dryRun": false, "userInfo": {"username": "alice"},
        "object": {"apiVersion": "v1", "kind": "Pod",
          "metadata": {"name": "train", "labels": {"app": "train"}, "annotations": {
            "cotenant.dev/model": "resnet50", "cotenant.dev/batch-size": "64"}},
          "spec": {"schedulerName": "default-scheduler", "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "registry.example/train:1",
              "command": ["python", "train.py"],
              "resources": {"limits": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "1"}}}]}}}}
      """;

  private byte[] body;
  private AdmissionWebhooks webhooks;

  @Setup
  public void prepare() {
    body = REVIEW.getBytes(StandardCharsets.UTF_8);
    LargeFleet fleet = new LargeFleet(10, 0);
    webhooks =
        new AdmissionWebhooks(
            new AdmissionPorts(
                new DecisionPorts(
                    fleet::readings,
                    fleet,
                    new SharingDecider(FallbackInterferenceModel.builtIn()),
                    InstantSource.system()),
                new NoListener(),
                () -> "0123456789abcdef"),
            new AdmissionSettings(
                Policies.of(Policy.DEFAULT), "system:serviceaccount:cotenant-system:cotenant"),
            new Ledger(InstantSource.system(), Duration.ofMinutes(2)));
    String answer = new String(webhooks.mutate(body), StandardCharsets.UTF_8);
    if (!answer.contains("\"patch\"")) {
      throw new IllegalStateException("not held: " + answer);
    }
  }

  @Benchmark
  public byte[] mutate() {
    return webhooks.mutate(body);
  }

  /** Listens to nothing. */
  private static final class NoListener implements AdmissionListener {
    @Override
    public void answered(WebhookOutcome answer) {}

    @Override
    public void decided(DecisionRecord decision) {}

    @Override
    public void filled(FillReport report) {}

    @Override
    public void killed(PodIdentity pod) {}
  }
}

package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reviews that the thread of their connection answers, and those that it hands over. */
class AnsweringThreadTest {
  private static final String MODEL = "'cotenant.dev/model':'resnet50'";

  /** As where no graph was read yet at the pods' batches. */
  private static final class Unprepared implements WorkloadPredictor {
    private final WorkloadPredictor prepared = new FakePredictor();

    @Override
    public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
      return prepared.predict(workload, devices, level);
    }

    @Override
    public boolean isPrepared(Workload workload) {
      return false;
    }
  }

  private static JsonNode review(String annotations) {
    return PodReviews.creating(
        PodReviews.pod(
            annotations,
            "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}]"));
  }

  private static boolean needsWorker(Policy policy, String annotations) {
    return new Bench(TestClusters.empty(), policy).needsWorker(review(annotations));
  }

  private static boolean needsWorkerUnprepared(Policy policy) {
    return new Bench(TestClusters.empty(), new Unprepared(), policy).needsWorker(review(MODEL));
  }

  @ParameterizedTest
  @EnumSource(names = {"OFF", "ENFORCE", "FILL", "CAP"})
  void readsAndFillsAtOnce(Mode mode) {
    assertThat(needsWorker(Policy.DEFAULT.with(copy -> copy.mode = mode), MODEL)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"SHADOW", "WARN", "IMMEDIATE"})
  void handsDecisionsOver(Mode mode) {
    assertThat(needsWorker(Policy.DEFAULT.with(copy -> copy.mode = mode), MODEL)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"FILL", "CAP"})
  void handsOverWhatHasToBeReadOrSearched(Mode mode) {
    Policy policy = Policy.DEFAULT.with(copy -> copy.mode = mode);
    assertThat(needsWorkerUnprepared(policy)).isTrue();
    assertThat(
            needsWorker(
                policy,
                MODEL + ",'cotenant.dev/mode':'inference','cotenant.dev/slo-latency':'20ms'"))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void gatesWithoutAGraphUnlessThePolicyNeedsIt(boolean needed) {
    Policy policy = Policy.DEFAULT.with(copy -> copy.mode = Mode.ENFORCE);
    Policy required =
        policy.with(
            copy -> copy.unknownModels = needed ? UnknownModels.DENY : UnknownModels.EXCLUSIVE);
    assertThat(needsWorkerUnprepared(required)).isEqualTo(needed);
  }

  @Test
  void failsOpenAtOnce() {
    Bench bench =
        new Bench(TestClusters.empty(), Policy.DEFAULT.with(copy -> copy.mode = Mode.IMMEDIATE));
    assertThat(bench.needsWorker(Bench.json("{'kind':'AdmissionReview','request':7}"))).isFalse();
  }
}

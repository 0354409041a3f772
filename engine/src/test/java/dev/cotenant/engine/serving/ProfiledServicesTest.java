package dev.cotenant.engine.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProfiledServicesTest {
  private static final DeviceId V100 = DeviceCatalogue.builtIn().require("v100-16gb").id();
  private static final DeviceId A100 = DeviceCatalogue.builtIn().require("a100-40gb").id();
  private static final WorkloadProfile PROFILE =
      ProfileBook.builtIn().workload("resnet50").orElseThrow();
  private static final RegisteredModelPredictor REGISTERED = registered();

  private final FakeStore store = new FakeStore();
  private final ServiceProfiles profiles = new ServiceProfiles(store);
  private final ProfiledServices services = new ProfiledServices(REGISTERED, profiles);

  /** In a list. */
  private static final class FakeStore implements ServiceProfileStore {
    private final List<Stored> stored = new ArrayList<>();
    private long state;

    @Override
    public boolean put(List<Stored> others) {
      state++;
      return stored.addAll(others);
    }

    @Override
    public int delete(String namespace, String name, @Nullable String device) {
      state++;
      int before = stored.size();
      stored.removeIf(one -> one.namespace().equals(namespace) && one.name().equals(name));
      return before - stored.size();
    }

    @Override
    public long state() {
      return state;
    }

    @Override
    public List<Stored> all() {
      return List.copyOf(stored);
    }
  }

  private static RegisteredModelPredictor registered() {
    Engine engine = Engine.standard();
    ModelRegistry registry = ModelRegistry.of(engine);
    assertThat(registry.loadDirectory(Path.of("../examples/models"))).isEmpty();
    return new RegisteredModelPredictor(registry, engine);
  }

  private void store(String namespace, WorkloadProfile profile) {
    store.put(
        List.of(
            new Stored(
                namespace,
                "workload",
                profile.name(),
                profile.device(),
                ProfileText.line(profile),
                "user anna",
                Instant.EPOCH)));
    profiles.refresh();
  }

  private static Workload workload(ExecutionMode mode) {
    RunSettings settings = RunSettings.of(mode, Precision.FP32);
    return new Workload(
        "resnet50",
        8,
        mode == ExecutionMode.TRAINING ? settings : settings.withLoad(new Load.RequestRate(100)));
  }

  private static Map<DeviceId, Prediction> predicted(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
    return ((Outcome.Predicted) outcome).byDevice();
  }

  private Prediction inNamespace(String namespace, DeviceId device) {
    Outcome outcome =
        services.predictIn(
            namespace, workload(ExecutionMode.INFERENCE), Set.of(V100, A100), Coverage.STANDARD);
    return Objects.requireNonNull(predicted(outcome).get(device));
  }

  private static Prediction unprofiled(DeviceId device) {
    return Objects.requireNonNull(
        predicted(REGISTERED.predict(workload(ExecutionMode.INFERENCE), Set.of(device)))
            .get(device));
  }

  @Test
  void timesAreTheProfilesOnItsDeviceAndInItsNamespace() {
    store("team-a", PROFILE);

    Serving serving = inNamespace("team-a", V100).serving().orElseThrow();
    // 602,112 + 4,000 bytes a sample at 1e7 bytes a millisecond; the frequency does not drop.
    double millis =
        PROFILE.activeTime().millis(8, 100) + PROFILE.schedulingMillis() + 8 * 606_112 / 1e7;
    assertThat(serving.step().meanSeconds()).isCloseTo(millis / 1e3, within(1e-9));
    assertThat(serving.step().upperSeconds()).isGreaterThan(serving.step().meanSeconds());
    assertThat(inNamespace("team-a", A100)).isEqualTo(unprofiled(A100));
    assertThat(inNamespace("team-b", V100)).isEqualTo(unprofiled(V100));
  }

  @Test
  void utilizationAndPartitionsFollow() {
    store(ServiceProfiles.EVERY_NAMESPACE, PROFILE);

    Prediction prediction = inNamespace("team-a", V100);
    // 12.5 batches a second, each busy for its active time.
    assertThat(prediction.utilization().mean().percent())
        .isCloseTo(1.25 * PROFILE.activeTime().millis(8, 100), within(0.01));
    assertThat(prediction.peakMemory()).isEqualTo(unprofiled(V100).peakMemory());
    ShareCurve shares = Objects.requireNonNull(prediction.shares());
    assertThat(shares.points()).hasSize(10);
    assertThat(shares.points().get(4).busyFactor())
        .isCloseTo(
            PROFILE.activeTime().millis(8, 50) / PROFILE.activeTime().millis(8, 100), within(1e-9));
    assertThat(shares.points())
        .isSortedAccordingTo((a, b) -> Double.compare(b.stepFactor(), a.stepFactor()));
  }

  @Test
  void aNamespacesProfileComesBeforeThatOfTheCluster() {
    store(ServiceProfiles.EVERY_NAMESPACE, PROFILE);
    store("team-a", PROFILE.with(PROFILE.activeTime().scaledBy(3)));

    double own = inNamespace("team-a", V100).serving().orElseThrow().step().meanSeconds();
    double others = inNamespace("team-b", V100).serving().orElseThrow().step().meanSeconds();

    assertThat(own / others).isBetween(2.5, 3.0);
    assertThat(profiles.book("team-a").workload("resnet50").orElseThrow().activeTime())
        .isEqualTo(PROFILE.activeTime().scaledBy(3));
  }

  @Test
  void deletedAndBuiltInProfilesDecideNothing() {
    assertThat(inNamespace("team-a", V100)).isEqualTo(unprofiled(V100));
    store("team-a", PROFILE);
    assertThat(inNamespace("team-a", V100)).isNotEqualTo(unprofiled(V100));

    store.delete("team-a", "resnet50", null);
    profiles.refresh();

    assertThat(inNamespace("team-a", V100)).isEqualTo(unprofiled(V100));
  }

  @Test
  void trainingIsLeftAlone() {
    store(ServiceProfiles.EVERY_NAMESPACE, PROFILE);
    Workload training = workload(ExecutionMode.TRAINING);

    assertThat(services.predict(training, Set.of(V100)))
        .isEqualTo(REGISTERED.predict(training, Set.of(V100)));
  }
}

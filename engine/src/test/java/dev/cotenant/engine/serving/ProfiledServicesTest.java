package dev.cotenant.engine.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.engine.testing.FakeServiceProfileStore;
import dev.cotenant.interference.PartitionModel;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.interference.profile.ProfiledRange;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProfiledServicesTest {
  private static final DeviceId V100 = DeviceCatalogue.builtIn().require("v100-16gb").id();
  private static final DeviceId A100 = DeviceCatalogue.builtIn().require("a100-40gb").id();
  private static final WorkloadProfile PROFILE =
      ProfileBook.builtIn().workload("resnet50").orElseThrow();
  private static final WorkloadProfile A100_PROFILE =
      ProfileFile.parse(
              "text", ProfileText.of(List.of(), List.of(PROFILE)).replace("v100-16gb", "a100-40gb"))
          .workloads()
          .getFirst();
  private static final RegisteredModelPredictor REGISTERED = registered();

  private final List<String> unreadable = new ArrayList<>();
  private final FakeServiceProfileStore store = new FakeServiceProfileStore();
  private final ServiceProfiles profiles =
      new ServiceProfiles(store, (one, why) -> unreadable.add(one.namespace() + ": " + why));
  private final WorkloadPredictor services =
      new AdjustedPredictor(REGISTERED, new ProfiledServices(profiles));

  private static RegisteredModelPredictor registered() {
    Engine engine = Engine.standard();
    ModelRegistry registry = ModelRegistry.of(engine);
    assertThat(registry.loadDirectory(Path.of("../examples/models"))).isEmpty();
    return new RegisteredModelPredictor(registry, engine);
  }

  private static Stored stored(String namespace, WorkloadProfile profile, String line) {
    return new Stored(
        namespace, "workload", profile.name(), profile.device(), line, "user anna", Instant.EPOCH);
  }

  private void store(String namespace, WorkloadProfile profile) {
    store.put(List.of(stored(namespace, profile, ProfileText.line(profile))));
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
        predicted(
                REGISTERED.predict(
                    workload(ExecutionMode.INFERENCE), Set.of(device), Coverage.STANDARD))
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

  /** In 90, 95 and 99 % of cases: 1.28, 1.64 and 2.33 deviations of 3.9 %. */
  @Test
  void boundsHoldAsOftenAsIsRequested() {
    store("team-a", PROFILE);
    double[] levels = {0.9, 0.95, 0.99, 1};
    double[] quantiles = {1.2816, 1.6449, 2.3263, 2.3263};
    for (int i = 0; i < levels.length; i++) {
      Prediction prediction =
          Objects.requireNonNull(
              predicted(
                      services.predictIn(
                          "team-a",
                          workload(ExecutionMode.INFERENCE),
                          Set.of(V100),
                          Coverage.of(levels[i])))
                  .get(V100));
      StepTimeEstimate step = prediction.stepTimeIfKnown().orElseThrow();

      assertThat(step.coverage()).isEqualTo(Coverage.of(Math.min(levels[i], 0.99)));
      assertThat(Math.log(step.upperSeconds() / step.meanSeconds()))
          .isCloseTo(quantiles[i] * PartitionModel.IGNITER_DEVIATION, within(1e-4));
    }
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
    assertThat(shares.points()).as("10 to 100 % in steps of 2.5 %").hasSize(37);
    assertThat(shares.points().get(16).share()).isEqualTo(Share.ofPercent(50));
    assertThat(shares.points().get(16).busyFactor())
        .isCloseTo(
            PROFILE.activeTime().millis(8, 50) / PROFILE.activeTime().millis(8, 100), within(1e-9));
    assertThat(shares.points())
        .isSortedAccordingTo((a, b) -> Double.compare(b.stepFactor(), a.stepFactor()));
    assertThat(prediction.partition())
        .isEqualTo(
            new ProfiledPartition(
                PROFILE, ProfileBook.builtIn().device("v100-16gb").orElseThrow(), 8, Share.WHOLE));
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

    assertThat(services.predict(training, Set.of(V100), Coverage.STANDARD))
        .isEqualTo(REGISTERED.predict(training, Set.of(V100), Coverage.STANDARD));
  }

  /** Of the newer version of another replica, say. */
  @Test
  void aLineThatCannotBeReadConcernsItselfAlone() {
    store.put(List.of(stored("team-b", PROFILE, "workload resnet50 device=v100-16gb k9=1")));
    store("team-b", A100_PROFILE);
    store("team-a", PROFILE);

    assertThat(inNamespace("team-a", V100)).isNotEqualTo(unprofiled(V100));
    assertThat(inNamespace("team-b", V100)).isEqualTo(unprofiled(V100));
    assertThat(profiles.book("team-b").workloads()).contains(A100_PROFILE);
    // Once: the second change was in another namespace.
    assertThat(unreadable).singleElement().asString().startsWith("team-b: the store:2: key k1");
  }

  /** Its k1 is negative: at a batch of 3,300 the formula says 17 ms. */
  @Test
  void beyondWhatWasProfiledThePredictionStays() {
    store("team-a", PROFILE.in(new ProfiledRange(2, 7, 20)));
    assertThat(inNamespace("team-a", V100)).isEqualTo(unprofiled(V100));

    store.delete("team-a", "resnet50", null);
    store("team-a", PROFILE.in(new ProfiledRange(1, 8, 35)));
    ShareCurve shares = Objects.requireNonNull(inNamespace("team-a", V100).shares());
    assertThat(shares.points().getFirst().share().percent()).isCloseTo(35, within(1e-9));
  }

  @Test
  void theBusyTimeIsThatOfTheFrequencyThatThePowerLimitLeaves() {
    DeviceProfile device = ProfileBook.builtIn().requireDevice("v100-16gb");
    Demand demand = PROFILE.demand();
    WorkloadProfile hot =
        new WorkloadProfile(
            PROFILE.name(),
            PROFILE.device(),
            PROFILE.activeTime(),
            PROFILE.cacheSensitivity(),
            new Demand(0, 400, demand.l2Slope(), demand.l2Intercept()),
            PROFILE.kernels(),
            PROFILE.schedulingMillis(),
            PROFILE.inputBytes(),
            PROFILE.outputBytes());
    store(ServiceProfiles.EVERY_NAMESPACE, hot);
    double stretch =
        device.maxFrequencyMegahertz() / device.frequencyMegahertz(device.idlePowerWatts() + 400);

    assertThat(stretch).isGreaterThan(1.01);
    assertThat(inNamespace("team-a", V100).utilization().mean().percent())
        .isCloseTo(1.25 * stretch * PROFILE.activeTime().millis(8, 100), within(0.01));
  }
}

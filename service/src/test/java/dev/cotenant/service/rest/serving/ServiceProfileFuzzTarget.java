package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.serving.ProfiledServices;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.engine.testing.FakeServiceProfileStore;
import dev.cotenant.interference.profile.ProfileBook;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Profiles of services that callers send; see {@link FuzzOracle}. What is taken can be read again
 * and times services on its device, or gives no time.
 */
public final class ServiceProfileFuzzTarget {
  private static final String NAMESPACE = "team-a";
  private static final RunSettings SETTINGS =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withLoad(new Load.RequestRate(10));
  private static final ProfileUpload.Origin ORIGIN =
      new ProfileUpload.Origin(NAMESPACE, "a caller", Instant.EPOCH);
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final ProfileUpload UPLOAD = new ProfileUpload(DEVICES, ProfileBook.builtIn());
  private static final String MODEL = "mobilenet_v2";
  private static final RegisteredModelPredictor PREDICTOR = predictor();

  private ServiceProfileFuzzTarget() {}

  private static RegisteredModelPredictor predictor() {
    Engine engine = Engine.standard();
    ModelRegistry registry = ModelRegistry.of(engine);
    registry.put(registry.read(MODEL, Path.of("..", "examples", "models", MODEL + ".onnx")));
    return new RegisteredModelPredictor(registry, engine);
  }

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] body) {
    List<Stored> taken = new ArrayList<>();
    FuzzOracle.check(() -> taken.addAll(UPLOAD.read(body, ORIGIN)));
    FakeServiceProfileStore store = new FakeServiceProfileStore();
    store.put(taken);
    ServiceProfiles profiles =
        new ServiceProfiles(
            store,
            (one, why) -> {
              throw new AssertionError("cannot be read again: " + one.line() + ": " + why);
            });
    profiles.refresh();
    ProfiledServices services = new ProfiledServices(profiles);
    for (Stored one : taken) {
      for (int batch : List.of(1, 3, 32)) {
        Prediction untimed = predicted(DEVICES.require(one.device()).id(), batch);
        Workload workload = new Workload(one.name(), batch, SETTINGS);
        services.adjust(NAMESPACE, workload, untimed, Coverage.STANDARD);
      }
    }
  }

  private static Prediction predicted(DeviceId device, int batch) {
    Outcome outcome =
        PREDICTOR.predict(new Workload(MODEL, batch, SETTINGS), Set.of(device), Coverage.STANDARD);
    return switch (outcome) {
      case Outcome.Predicted(Map<DeviceId, Prediction> byDevice) ->
          Objects.requireNonNull(byDevice.get(device));
      case Outcome.UnknownModel unknown -> throw new AssertionError(unknown);
    };
  }
}

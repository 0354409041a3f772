package dev.cotenant.engine.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.lifetime.ExpectedLifetimes;
import dev.cotenant.engine.lifetime.LifetimeStore;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.serving.ProfiledServices;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.FakeServiceProfileStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import dev.cotenant.predictor.hybrid.HybridModel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What a prediction passes between its caller and the model, composed by what the service calls and
 * seen on the stack of a thread that predicts.
 */
class PredictionPathTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Workload WORKLOAD = new Workload("resnet50", 8, RunSettings.DEFAULT);

  private final Engine engine = Engine.standard();
  private final FakeModelStore store = new FakeModelStore();
  private final Serving serving =
      new Serving(store, BaseModel.Reader.STANDARD, Predictor.builtInFile(), () -> NOW);
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final WorkloadPredictor pods = pods();

  private WorkloadPredictor pods() {
    ModelRegistry registry = ModelRegistry.of(engine);
    registry.loadDirectory(Path.of("../examples/models"));
    PredictionPath.serve(
        engine,
        serving,
        () -> {
          asked.add("runs");
          return MeasuredRunCache.empty();
        });
    return PredictionPath.ofPods(
        new RegisteredModelPredictor(registry, engine),
        new PredictionPath.Known(
            (_, workload) -> {
              asked.add("loads");
              return workload;
            },
            new ProfiledServices(
                new ServiceProfiles(new FakeServiceProfileStore(), (_, why) -> asked.add(why))),
            new ExpectedLifetimes(new PodLifetimes(new NoLifetimes()), Duration.ofHours(1)),
            (_, _, prediction, _) -> {
              asked.add("out of memory");
              return prediction;
            }));
  }

  private static final class NoLifetimes implements LifetimeStore {
    @Override
    public void add(List<Lifetime> lifetimes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long state() {
      return 1;
    }

    @Override
    public List<Lifetime> all() {
      return List.of();
    }
  }

  @Test
  void isOfFiveClassesUnderTheShippedModel() throws InterruptedException {
    assertThat(path())
        .containsExactly(
            "AdjustedPredictor",
            "RegisteredModelPredictor",
            "Engine",
            "LayeredPredictor",
            "Predictor");
    assertThat(asked).containsExactlyInAnyOrder("loads", "runs", "out of memory");
  }

  @Test
  void isOfFiveClassesUnderACorrection() throws InterruptedException {
    serving.refresh();
    List<ProfileRow> rows =
        IntStream.rangeClosed(1, 40).mapToObj(batch -> SampleRows.row(batch, 50)).toList();
    store.profiles().add("", rows, NOW);
    store.trainings().enqueue("t1", NOW);
    String version =
        new Trainings(store, serving, engine::devices, "replica", () -> NOW)
            .runNext()
            .orElseThrow()
            .version();
    new Promotions(store, serving, engine::devices, () -> NOW)
        .promote(String.valueOf(version), "alice", Optional.of("a drill"));
    assertThat(store.versions().find(serving.served().sha256()).map(ModelVersion::kind))
        .contains(ModelVersion.Kind.CORRECTION);

    assertThat(path())
        .containsExactly(
            "AdjustedPredictor",
            "RegisteredModelPredictor",
            "Engine",
            "LayeredPredictor",
            "Predictor");
  }

  /**
   * The classes whose methods are on the stack between this one and the model's, outermost first,
   * one after the other. A class that is entered again counts again.
   */
  private List<String> path() throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread caller =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; !isOver.get(); i++) {
                predict(Coverage.of(0.8 + i % 100_000 * 1e-6));
              }
            });
    try {
      for (long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
          System.nanoTime() < end; ) {
        List<String> classes = classes(caller.getStackTrace());
        int model = classes.indexOf(HybridModel.class.getName());
        if (model > 0) {
          return classes.subList(0, model).stream()
              .map(name -> name.substring(name.lastIndexOf('.') + 1))
              .toList();
        }
      }
      throw new AssertionError("the model was not seen on the stack");
    } finally {
      isOver.set(true);
      caller.join();
    }
  }

  private void predict(Coverage level) {
    Outcome outcome = pods.predictIn("team-a", WORKLOAD, Set.of(A100), level);
    assertThat(outcome).isInstanceOf(Outcome.Predicted.class);
  }

  private List<String> classes(StackTraceElement[] innermostFirst) {
    List<String> classes = new ArrayList<>();
    for (StackTraceElement frame : Arrays.asList(innermostFirst).reversed()) {
      String name = frame.getClassName().replaceFirst("\\$.*", "");
      boolean isOurs = name.startsWith("dev.cotenant.") && !name.equals(getClass().getName());
      if (isOurs && (classes.isEmpty() || !classes.getLast().equals(name))) {
        classes.add(name);
      }
    }
    return classes;
  }
}

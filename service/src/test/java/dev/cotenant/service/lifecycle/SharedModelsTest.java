package dev.cotenant.service.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.ModelQuota;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.Registered;
import dev.cotenant.engine.model.RegisteredModel;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.service.RunningService;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Models that are to fill the memory. One file of 7 MB under twenty names filled the heap, the next
 * registration never ended, and every restart filled it again.
 */
class SharedModelsTest {
  private static final Path SMALL = RunningService.root().resolve("examples/models/resnet18.onnx");
  private static final Path LARGE = RunningService.root().resolve("examples/models/resnet50.onnx");
  private static final Engine ENGINE = Engine.standard();

  @TempDir Path folder;

  private final FakeModelStore store = new FakeModelStore();
  private final ModelRegistry registry = ModelRegistry.of(ENGINE);

  private SharedModels models(ModelRegistry in, int names, long heapBytes) {
    return new SharedModels(
        in, store.models(), folder, InstantSource.system(), new ModelQuota(names, heapBytes));
  }

  private static long heap(Path file) {
    return ENGINE.reader().read(file).heapBytes();
  }

  private List<String> stored() {
    return store.models().names().stream().map(RegisteredModelStore.Name::name).toList();
  }

  private static String sha256(Path file) {
    return ModelRegistry.of(ENGINE).read("any", file).sha256();
  }

  private static SharedModels.Registration register(SharedModels models, String name, Path file) {
    return models.register(name, file, new SharedModels.Replaced.Nothing());
  }

  private static SharedModels.Registration replace(SharedModels models, String name, Path file) {
    return models.register(name, file, new SharedModels.Replaced.Anything());
  }

  @Test
  void aNameIsReplacedAndForgottenInEveryReplica() {
    ModelRegistry elsewhere = ModelRegistry.of(ENGINE);
    elsewhere.put(elsewhere.read("shipped", SMALL));
    registry.put(registry.read("shipped", SMALL));
    SharedModels models = models(registry, 10, Long.MAX_VALUE);
    SharedModels others = models(elsewhere, 10, Long.MAX_VALUE);

    assertThat(register(models, "shipped", LARGE))
        .isInstanceOf(SharedModels.Registration.Refused.class);
    replace(models, "shipped", LARGE);
    register(models, "new", LARGE);
    others.refresh();
    assertThat(elsewhere.registered("shipped"))
        .hasValueSatisfying(model -> assertThat(model.sha256()).isEqualTo(sha256(LARGE)));
    assertThat(elsewhere.registered("new")).isPresent();

    others.remove("shipped");
    others.remove("new");
    models.refresh();
    assertThat(registry.registered("shipped"))
        .hasValueSatisfying(model -> assertThat(model.sha256()).isEqualTo(sha256(SMALL)));
    assertThat(registry.registered("new")).isEmpty();
    assertThat(elsewhere.registered("new")).isEmpty();
  }

  @Test
  void oneFileUnderManyNamesTakesTheMemoryOfOne() {
    SharedModels models = models(registry, 100, heap(SMALL));

    for (int i = 0; i < 100; i++) {
      register(models, "name-" + i, SMALL);
    }

    assertThat(registry.models())
        .hasSize(100)
        .extracting(RegisteredModel::graph)
        .allMatch(graph -> graph == registry.models().getFirst().graph());
  }

  @Test
  void refusesAGraphThatTakesMoreThanAllMayAndKeepsTheOthers() {
    SharedModels models = models(registry, 100, heap(LARGE) - 1);
    register(models, "small", SMALL);

    assertThatThrownBy(() -> register(models, "large", LARGE))
        .isInstanceOfSatisfying(
            QuotaException.class, e -> assertThat(e.code()).isEqualTo("model-too-large"))
        .hasMessageContaining("model large")
        .hasMessageContaining("smaller export");

    assertThat(stored()).containsExactly("small");
    assertThat(registry.all()).extracting(Registered::name).containsExactly("small");
  }

  @Test
  void refusesMoreNamesThanTheLimit() {
    SharedModels models = models(registry, 2, Long.MAX_VALUE);
    register(models, "a", SMALL);
    register(models, "b", SMALL);

    assertThatThrownBy(() -> register(models, "c", SMALL))
        .isInstanceOfSatisfying(
            QuotaException.class, e -> assertThat(e.code()).isEqualTo("too-many-models"))
        .hasMessageContaining("limited to 2 names");
    replace(models, "b", LARGE);
    assertThat(stored()).containsExactly("a", "b");
  }

  /** Every restart read all graphs again, and the heap was full before the first request. */
  @Test
  void aRestartReadsNoGraphAndAQuestionTheOneThatItNeeds() {
    SharedModels before = models(registry, 100, Long.MAX_VALUE);
    register(before, "large", LARGE);
    register(before, "small", SMALL);
    ModelRegistry restarted = ModelRegistry.of(ENGINE);
    SharedModels models = models(restarted, 100, heap(LARGE));

    models.refresh();
    assertThat(restarted.all()).extracting(Registered::name).containsExactly("large", "small");
    assertThat(models.readGraphs()).as("a graph that nobody needed is read").isFalse();

    assertThat(predicted(restarted, "small"))
        .isInstanceOfSatisfying(
            Outcome.UnknownModel.class, unknown -> assertThat(unknown.isPending()).isTrue());
    assertThat(models.readGraphs()).isTrue();
    assertThat(predicted(restarted, "small")).isInstanceOf(Outcome.Predicted.class);
    assertThat(restarted.find("large").orElseThrow().source().isInMemory()).isFalse();
  }

  @Test
  void dropsTheGraphThatWasUsedLeastRecently() {
    SharedModels models = models(registry, 100, heap(LARGE));
    register(models, "small", SMALL);

    register(models, "large", LARGE);

    assertThat(registry.find("large").orElseThrow().source().isInMemory()).isTrue();
    assertThat(registry.find("small").orElseThrow().source().isInMemory()).isFalse();
    assertThat(registry.find("small").orElseThrow().graph().heapBytes()).isEqualTo(heap(SMALL));
    assertThat(registry.find("large").orElseThrow().source().isInMemory()).isFalse();
  }

  /** A restart with a smaller heap, or beside a version that had no limit. */
  @Test
  void aGraphThatHasNoRoomAtAllSaysWhy() {
    register(models(registry, 100, Long.MAX_VALUE), "large", LARGE);
    ModelRegistry restarted = ModelRegistry.of(ENGINE);
    SharedModels models = models(restarted, 100, heap(LARGE) - 1);
    models.refresh();
    RegisteredModelPredictor predictor = new RegisteredModelPredictor(restarted, ENGINE);

    predicted(predictor, "large");
    models.readGraphs();

    assertThat(predicted(predictor, "large"))
        .isInstanceOfSatisfying(
            Outcome.UnknownModel.class,
            unknown -> {
              assertThat(unknown.isPending()).isFalse();
              assertThat(unknown.why())
                  .contains("model 'large' is not usable", "exceeds the memory limit");
            });
    assertThat(models.readGraphs()).as("it is read again and again").isFalse();
  }

  @Test
  void aGraphForWhichThereIsNoDiskIsReadLater() {
    register(models(registry, 100, Long.MAX_VALUE), "small", SMALL);
    ModelRegistry restarted = ModelRegistry.of(ENGINE);
    ModelQuota quota = new ModelQuota(100, Long.MAX_VALUE);
    SharedModels models =
        new SharedModels(restarted, store.models(), SMALL, InstantSource.system(), quota);
    models.refresh();
    predicted(restarted, "small");

    assertThatThrownBy(models::readGraphs).isInstanceOf(StoreException.class);
  }

  private static Outcome predicted(ModelRegistry registry, String model) {
    return predicted(new RegisteredModelPredictor(registry, ENGINE), model);
  }

  private static Outcome predicted(RegisteredModelPredictor predictor, String model) {
    return predictor.predict(
        new Workload(model, 1, RunSettings.DEFAULT),
        Set.of(new DeviceId("a100-40gb")),
        Coverage.STANDARD);
  }

  /** What the limit is in: its order of magnitude is that of the heap. */
  @Test
  void aGraphIsAsLargeAsItsNodes() {
    assertThat(heap(SMALL)).isBetween(10_000L, 1_000_000L);
    assertThat(heap(LARGE)).isGreaterThan(heap(SMALL));
  }
}

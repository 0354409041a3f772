package dev.cotenant.engine.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.cache.MeasuredRunLayer;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Rows that state what nobody measured. Two of them cut the upper bound of memory of a training of
 * a ResNet-50 at batch 256 from tens of gigabytes to 0.7 for every namespace, at a stated coverage
 * of 0.9.
 */
class PoisonedRowsTest {
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final MemorySize POISON = MemorySize.ofMiB(702);
  private static final FeaturePredictor MODEL = Predictor.builtIn();

  private final FakeModelStore store = new FakeModelStore();
  private final StoredRuns runs = new StoredRuns(store.profiles(), () -> NOON);
  private final FeaturePredictor predictor = LayeredPredictor.of(MODEL, new MeasuredRunLayer(runs));

  private static ProfileRow row(String caller, double percent, MemorySize peak) {
    return new ProfileRow(
        StoredProfile.source(caller, "run"),
        "resnet",
        "resnet50",
        SampleRows.features(256),
        RunSettings.DEFAULT,
        A100.id(),
        Measurement.NONE.withUtilization(Utilization.ofPercent(percent)).withPeakMemory(peak),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private void add(String namespace, ProfileRow... rows) {
    store.profiles().add(namespace, List.of(rows), NOON);
    runs.refresh();
  }

  private void poison(String namespace) {
    add(namespace, row("user eve", 3.5, POISON), row("user eve", 3.6, POISON));
  }

  private Prediction in(String namespace) {
    return predictor.predict(
        PredictionRequest.of(SampleRows.features(256), RunSettings.DEFAULT, A100).in(namespace));
  }

  private double upper(String namespace) {
    return in(namespace).peakMemory().upper().toGiB();
  }

  @Test
  void rowsOfANamespaceMoveItsOwnPredictionsAlone() {
    Prediction before = in("team-a");
    assertThat(upper("team-a")).isGreaterThan(10);

    poison("mallory");

    assertThat(upper("mallory")).as("its own loss").isLessThan(1);
    assertThat(in("team-a")).isEqualTo(before);
    assertThat(in(ProfileStore.SHARED)).isEqualTo(before);
  }

  @Test
  void aNamespaceDoesNotTeachHowWellRunsRepeatElsewhere() {
    add("team-a", row("cluster", 90, MemorySize.ofGiB(24)));
    Prediction before = in("team-a");
    ProfileRow[] jumping =
        IntStream.range(0, 400)
            .mapToObj(i -> row("cluster", 1 + 98 * (i % 2), MemorySize.ofGiB(1 + 30 * (i % 2))))
            .toArray(ProfileRow[]::new);

    for (int i = 0; i < jumping.length; i++) {
      store.profiles().add("mallory", List.of(jumping[i]), NOON.plusSeconds(i));
    }
    runs.refresh();

    assertThat(in("team-a")).isEqualTo(before);
  }

  @Test
  void oneCallersSharedRowsFarBelowThePredictionCountOnceAnotherCallerAgrees() {
    double before = upper("team-a");

    poison(ProfileStore.SHARED);

    assertThat(upper("team-a")).isEqualTo(before);
    assertThat(in("team-a").warnings()).anyMatch(text -> text.contains("only source of runs"));
    add(ProfileStore.SHARED, row("user bob", 3.5, POISON.plus(MemorySize.ofBytes(1))));
    assertThat(upper("team-a")).isLessThan(1);
  }

  /** A thousand rows are one opinion, and of two opinions the higher counts. */
  @Test
  void manyRowsOfOneSourceDoNotOutvoteOneOfAnother() {
    add(ProfileStore.SHARED, row("user bob", 93, MemorySize.ofGiB(24)));
    List<ProfileRow> many = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      many.add(row("user eve", 3.5, POISON.plus(MemorySize.ofBytes(i))));
    }
    add(ProfileStore.SHARED, many.toArray(ProfileRow[]::new));
    add("mallory", many.toArray(ProfileRow[]::new));

    assertThat(in("team-a").peakMemory().mean()).isEqualTo(MemorySize.ofGiB(24));
    assertThat(in("mallory").peakMemory().mean())
        .as("own rows lower nothing that shared ones say")
        .isEqualTo(MemorySize.ofGiB(24));
  }

  @Test
  void oneNamespacesRowIsNoDuplicateOfAnothers() {
    ProfileRow row = row("cluster", 93, MemorySize.ofGiB(24));
    assertThat(store.profiles().add("mallory", List.of(row), NOON)).containsExactly(true);

    assertThat(store.profiles().add("team-a", List.of(row), NOON)).containsExactly(true);
    assertThat(store.profiles().add("team-a", List.of(row), NOON)).containsExactly(false);
  }

  @Test
  void nothingBelowTheWeightsAndAContextIsPlausible() {
    // 25,557,032 weights in fp32 and 100 MiB
    assertThat(Plausibility.leastMemory(row("user eve", 3, POISON)))
        .isEqualTo(MemorySize.ofBytes(4L * 25_557_032 + (100L << 20)));
    assertThat(Plausibility.isPlausible(row("user eve", 3, MemorySize.ofMiB(197)))).isFalse();
    assertThat(Plausibility.isPlausible(row("user eve", 3, MemorySize.ofMiB(198)))).isTrue();
  }

  @Test
  void aNamespaceHasNoMajorityInWhatTrainingsLearnFrom() {
    List<StoredProfile> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      rows.add(stored(i, i < 30 ? "team-a" : i < 40 ? ProfileStore.SHARED : "mallory"));
    }

    List<StoredProfile> fair = NamespaceRowCap.of(rows);

    assertThat(fair).filteredOn(row -> row.namespace().equals("mallory")).hasSize(40);
    assertThat(fair).filteredOn(row -> row.namespace().equals("team-a")).hasSize(30);
    assertThat(fair).containsAll(rows.subList(0, 40)).containsAll(rows.subList(260, 300));
    assertThat(fair).isSortedAccordingTo((a, b) -> Long.compare(a.number(), b.number()));
    assertThat(NamespaceRowCap.of(rows.subList(40, 300))).as("alone").hasSize(260);
  }

  private static StoredProfile stored(long number, String namespace) {
    return new StoredProfile(
        number, "hash" + number, row("user bob", 50, MemorySize.ofGiB(8)), NOON, namespace);
  }
}

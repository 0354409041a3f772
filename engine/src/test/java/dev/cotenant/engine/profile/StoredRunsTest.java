package dev.cotenant.engine.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import dev.cotenant.predictor.cache.MeasuredRunLayer;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StoredRunsTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final FeaturePredictor MODEL =
      request ->
          new Prediction(
              request.device().id(),
              request.model().batchSize(),
              request.settings(),
              new UtilizationEstimate(
                  Utilization.ofPercent(40),
                  Utilization.ofPercent(20),
                  Utilization.ofPercent(60),
                  Coverage.of(0.8)),
              new MemoryEstimate(
                  MemorySize.ofGiB(4), MemorySize.ofGiB(2), MemorySize.ofGiB(8), Coverage.of(0.8)),
              "model",
              List.of());

  private final FakeModelStore store = new FakeModelStore();
  private Instant now = START;
  private final StoredRuns remembered = new StoredRuns(store.profiles(), () -> now);
  private final FeaturePredictor predictor =
      LayeredPredictor.of(MODEL, new MeasuredRunLayer(remembered));

  private double mean(int batch) {
    return predictor
        .predict(SampleRows.features(batch), RunSettings.DEFAULT, A100)
        .utilization()
        .mean()
        .percent();
  }

  private void measured(int batch, double percent) {
    store.profiles().add(ProfileStore.SHARED, List.of(SampleRows.row(batch, percent)), now);
  }

  @Test
  void answersWithWhatTheStoreHoldsFromTheNextLookOn() {
    assertThat(mean(32)).isEqualTo(40);
    measured(32, 55);
    assertThat(mean(32)).isEqualTo(40);

    remembered.refresh();

    assertThat(mean(32)).isCloseTo(55, within(1e-9));
    assertThat(mean(64)).isEqualTo(40);
    measured(64, 70);
    remembered.refresh();
    assertThat(mean(64)).isCloseTo(70, within(1e-9));
  }

  @Test
  void givesTheSameAnswerOnEveryReplica() {
    StoredRuns other = new StoredRuns(store.profiles(), () -> now);
    for (int i = 0; i < 30; i++) {
      measured(1 + i % 4, 40 + i);
      if (i % 7 == 0) {
        remembered.refresh();
      }
    }
    remembered.refresh();
    other.refresh();
    FeaturePredictor elsewhere = LayeredPredictor.of(MODEL, new MeasuredRunLayer(other));

    for (int batch = 1; batch <= 5; batch++) {
      assertThat(predictor.predict(SampleRows.features(batch), RunSettings.DEFAULT, A100))
          .isEqualTo(elsewhere.predict(SampleRows.features(batch), RunSettings.DEFAULT, A100));
    }
  }

  @Test
  void goesOnWithWhatItKnowsWhileTheStoreIsDown() {
    measured(32, 55);
    remembered.refresh();
    store.setDown(true);

    assertThatThrownBy(remembered::refresh).isInstanceOf(StoreException.class);
    assertThat(mean(32)).isCloseTo(55, within(1e-9));
  }

  @Test
  void forgetsOldRunsThoughNoneIsNew() {
    measured(32, 55);
    remembered.refresh();

    now = START.plus(MeasuredRunCache.LIFETIME).plus(Duration.ofHours(2));
    remembered.refresh();

    assertThat(mean(32)).isEqualTo(40);
  }

  @Test
  void readsMoreRowsThanOnePageHolds() {
    List<ProfileRow> rows =
        IntStream.rangeClosed(1, 4_100).mapToObj(batch -> SampleRows.row(batch, 30)).toList();
    store.profiles().add(ProfileStore.SHARED, rows, START);

    remembered.refresh();

    assertThat(remembered.get().configurations()).isEqualTo(4_100);
  }

  @Test
  void forgetsRowsThatWereWithdrawn() {
    store
        .profiles()
        .add(ProfileStore.SHARED, List.of(SampleRows.row(1, 30), SampleRows.row(2, 30)), START);
    remembered.refresh();
    assertThat(remembered.get().configurations()).isEqualTo(2);

    store.profiles().remove(store.profiles().all().getFirst().number());
    store
        .profiles()
        .add(ProfileStore.SHARED, List.of(SampleRows.row(3, 30), SampleRows.row(4, 30)), START);
    remembered.refresh();

    assertThat(remembered.get().configurations()).isEqualTo(3);
  }

  /** A store that shows what was committed by then. */
  private static class LateCommits implements ProfileStore {
    private final List<ProfileRow> rows;
    private LongPredicate isCommitted = _ -> true;
    private int pages;
    private long least = Long.MAX_VALUE;

    LateCommits(int count) {
      rows = IntStream.rangeClosed(1, count).mapToObj(batch -> SampleRows.row(batch, 55)).toList();
    }

    @Override
    public List<Boolean> add(String namespace, List<ProfileRow> more, Instant at) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long count() {
      return LongStream.rangeClosed(1, rows.size()).filter(isCommitted).count();
    }

    @Override
    public boolean remove(long number) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int removeFrom(String source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<StoredProfile> newest(int limit, String namespace, String device) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<StoredProfile> page(long beyond, int limit, Selection selection) {
      pages++;
      least = Math.min(least, beyond);
      return LongStream.rangeClosed(beyond + 1, rows.size())
          .filter(isCommitted)
          .limit(limit)
          .mapToObj(number ->
              new StoredProfile(
                  number, "hash" + number, rows.get((int) number - 1), START, ProfileStore.SHARED))
          .toList();
    }
  }

  @Test
  void findsRowsThatWereCommittedLongAfterHigherOnes() {
    LateCommits late = new LateCommits(200);
    StoredRuns all = new StoredRuns(late, () -> now);
    late.isCommitted = number -> number > 1;
    all.refresh();
    assertThat(all.get().configurations()).isEqualTo(199);

    late.isCommitted = _ -> true;
    all.refresh();

    assertThat(all.get().configurations()).isEqualTo(200);
  }

  /** Of ten rows that cannot be read it knows after one more reading that they stay away. */
  @Test
  void readsEverythingAgainOnceAndNotAtEveryLook() {
    LateCommits some =
        new LateCommits(200) {
          @Override
          public long count() {
            return super.count() + 10;
          }
        };
    StoredRuns all = new StoredRuns(some, () -> now);
    all.refresh();
    assertThat(some.pages).isEqualTo(2);

    all.refresh();
    all.refresh();

    assertThat(some.pages).isEqualTo(4);
    assertThat(all.get().configurations()).isEqualTo(200);
  }

  /* 52,000 rows: what is beyond 50,000 is forgotten, and stays so. */
  @Test
  void readsNothingAgainThatItHasForgotten() {
    LateCommits many = new LateCommits(52_000);
    StoredRuns all = new StoredRuns(many, () -> now);
    all.refresh();
    assertThat(all.get().configurations()).isEqualTo(50_000);
    many.isCommitted = number -> number != 51_000;
    many.least = Long.MAX_VALUE;

    all.refresh();

    assertThat(many.least).isEqualTo(2_000);
    assertThat(all.get().configurations()).isEqualTo(49_999);
  }
}

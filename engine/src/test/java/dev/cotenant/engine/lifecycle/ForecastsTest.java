package dev.cotenant.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.lifecycle.Promotion.Grounds;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Upload, check, promotion, serving and rollback of forecasts, on a store in memory. */
class ForecastsTest {
  private static final Duration HORIZON = Duration.ofMinutes(10);
  private static final Duration SCRAPED = Duration.ofSeconds(30);
  private static final String BY = "user anna";

  @TempDir private Path folder;
  private Instant now = Instant.parse("2026-11-21T12:00:00Z");
  private final FakeModelStore store = new FakeModelStore();
  private final List<PeakModel> serving = new ArrayList<>();
  private List<GpuReading> readings = List.of();
  private final Forecasts forecasts = forecasts();

  private Forecasts forecasts() {
    return new Forecasts(
        store.forecasts(), new Forecasts.Use(serving::add, () -> readings, HORIZON), () -> now);
  }

  @BeforeEach
  void theShippedOneServes() {
    forecasts.refresh();
  }

  /** The shipped model with another margin: .9 of the reference is far too careful. */
  private byte[] withMargin(double margin) throws IOException {
    Path file = folder.resolve("margin-" + margin);
    PeakModelFile.write(PeakModelFile.shipped().withMargin(margin), file);
    return Files.readAllBytes(file);
  }

  /** Six GPUs with a flat series of so much of 40 GiB, from now on. */
  private void measure(double gib, Duration length) {
    List<MemorySample> samples = new ArrayList<>();
    for (Instant at = now; at.isBefore(now.plus(length)); at = at.plus(SCRAPED)) {
      samples.add(new MemorySample(at, MemorySize.ofMiB(Math.round(gib * 1024))));
    }
    List<GpuReading> gpus = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      gpus.add(
          new GpuReading(
              "GPU-" + i,
              "node",
              DeviceCatalogue.builtIn().require("a100-40gb"),
              MemorySize.ofGiB(40),
              new Tenancy.Shared(List.of()),
              new MemorySeries(samples),
              null));
    }
    readings = gpus;
    now = now.plus(length);
  }

  @Test
  void aShippedForecastServesUntilAnotherIsPromoted() throws IOException {
    assertThat(forecasts.listing().versions()).hasSize(1);
    assertThat(forecasts.served().promotion()).isEqualTo(1);

    ModelVersion added = forecasts.add(withMargin(0.9), "the upload");

    assertThat(added.kind()).isEqualTo(ModelVersion.Kind.FORECAST);
    assertThat(forecasts.isPromoted(added)).isFalse();
    assertThat(forecasts.add(withMargin(0.9), "the upload")).isEqualTo(added);
    assertThat(forecasts.listing().versions()).hasSize(2);
    assertThat(serving).isEmpty();
  }

  @Test
  void whatIsForcedServesHereAndInOtherReplicas() throws IOException {
    Forecasts other = forecasts();
    ModelVersion added = forecasts.add(withMargin(0.9), "the upload");

    Promotion promotion = forecasts.promote(added.label(), BY, "ticket 7");

    assertThat(promotion.grounds()).isEqualTo(Grounds.OVERRIDE);
    assertThat(forecasts.served().sha256()).isEqualTo(added.sha256());
    assertThat(serving).extracting(PeakModel::margin).containsExactly(0.9);
    assertThat(other.refresh()).map(Forecasts.Served::label).contains(added.label());
    assertThat(other.refresh()).isEmpty();
    assertThat(serving).hasSize(2);
    assertThatThrownBy(() -> forecasts.promote(added.label(), BY, "again"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("is active already");
  }

  @Test
  void aWorseBoundIsNotPromoted() throws IOException {
    ModelVersion careful = forecasts.add(withMargin(0.9), "the upload");
    measure(10, Duration.ofHours(2));

    assertThatThrownBy(() -> forecasts.promote(careful.label(), BY, null))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("is not better than the active version");
  }

  @Test
  void aBetterBoundIsPromoted() throws IOException {
    ModelVersion careful = forecasts.add(withMargin(0.9), "the upload");
    forecasts.promote(careful.label(), BY, "to compare");
    ModelVersion better = forecasts.add(withMargin(0.1), "the upload");
    measure(10, Duration.ofHours(2));

    Promotion promotion = forecasts.promote(better.sha256(), BY, null);

    assertThat(promotion.grounds()).isEqualTo(Grounds.BETTER);
    assertThat(promotion.reason()).contains("100.0 % below it");
  }

  /** The bound of a model that answers far too low is exceeded by a rise: the loss says so. */
  @Test
  void aBoundThatFailsIsNotPromotedForItsTightness() throws IOException {
    ModelVersion tight = forecasts.add(withMargin(-0.5), "the upload");
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      samples.add(
          new MemorySample(
              now.plus(SCRAPED.multipliedBy(i)), MemorySize.ofGiB(i % 40 < 20 ? 10 : 30 - i / 40)));
    }
    GpuReading rising =
        new GpuReading(
            "GPU-r",
            "node",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(40),
            new Tenancy.Shared(List.of()),
            new MemorySeries(samples),
            null);
    readings = List.of(rising, rising);
    now = now.plus(Duration.ofHours(4));

    assertThatThrownBy(() -> forecasts.promote(tight.label(), BY, null))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("is not better than the active version");
  }

  @Test
  void timeBeforeTheUploadAndIdleGpusProveNothing() throws IOException {
    measure(10, Duration.ofHours(2));
    ModelVersion late = forecasts.add(withMargin(0.1), "the upload");
    assertThatThrownBy(() -> forecasts.promote(late.label(), BY, null))
        .hasMessageContaining("in use for 0 stretches of 10 minutes, 20 are needed");

    measure(0.1, Duration.ofHours(2));
    assertThatThrownBy(() -> forecasts.promote(late.label(), BY, null))
        .hasMessageContaining("in use for 0 stretches");
  }

  @Test
  void theWayBackIsThePreviousVersion() throws IOException {
    String shipped = forecasts.served().sha256();
    assertThatThrownBy(() -> forecasts.rollback(BY, "no reason"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("no version before");
    ModelVersion added = forecasts.add(withMargin(0.9), "the upload");
    forecasts.promote(added.label(), BY, "ticket 7");

    assertThat(forecasts.rollback(BY, "GPUs ran full").version()).isEqualTo(shipped);
    assertThat(forecasts.served().sha256()).isEqualTo(shipped);
    assertThat(serving).hasSize(2);
  }

  @Test
  void filesThatCannotBeServedAreRefused() throws IOException {
    byte[] damaged = withMargin(0.5);
    damaged[damaged.length / 2] ^= 1;
    assertThatThrownBy(() -> forecasts.add(damaged, "the upload"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("the upload is damaged");
    assertThatThrownBy(() -> forecasts.add("COTM".getBytes(StandardCharsets.UTF_8), "the upload"))
        .isInstanceOf(InputException.class);
    assertThatThrownBy(() -> forecasts.promote("forest-1", BY, "because"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("There is no forecast 'forest-1'");
    assertThat(forecasts.listing().versions()).hasSize(1);
  }

  @Test
  void aStoreThatIsDownChangesNothing() throws IOException {
    ModelVersion added = forecasts.add(withMargin(0.9), "the upload");
    store.setDown(true);
    assertThatThrownBy(() -> forecasts.promote(added.label(), BY, "now"))
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(forecasts::refresh).isInstanceOf(StoreException.class);
    assertThat(forecasts.listing().current()).isFalse();
    assertThat(serving).isEmpty();
  }
}

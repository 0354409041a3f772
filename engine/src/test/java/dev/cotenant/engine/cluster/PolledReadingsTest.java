package dev.cotenant.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.device.UnlistedProduct;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.prometheus.DeviceMetrics;
import dev.cotenant.forecast.prometheus.DroppedSamples;
import dev.cotenant.forecast.prometheus.MetricsReading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PolledReadingsTest {
  private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private Instant now = START;
  private MetricsReading next = failed();
  private final PolledReadings readings =
      new PolledReadings(
          _ -> next,
          new MetricsTranslator(DeviceCatalogue.builtIn()::names),
          new SnapshotAssembler(List.of(), 60, LIMIT),
          "http://test",
          () -> now);

  private static MetricsReading failed() {
    return new MetricsReading.Failed(MetricsReading.Cause.UNREACHABLE, "down");
  }

  /** Each GPU with twenty samples, the newest right now. */
  private MetricsReading fetched(String... uuids) {
    List<DeviceMetrics> devices = Arrays.stream(uuids).map(this::device).toList();
    return new MetricsReading.Fetched(devices, DroppedSamples.NONE, List.of());
  }

  private DeviceMetrics device(String uuid) {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 19; i >= 0; i--) {
      samples.add(new MemorySample(now.minusSeconds(30L * i), MemorySize.ofGiB(5)));
    }
    return new DeviceMetrics(
        uuid,
        "n1",
        "NVIDIA A100-SXM4-40GB",
        false,
        MemorySize.ofGiB(39),
        new MemorySeries(samples),
        null,
        List.of(),
        null);
  }

  private MemoryObservation observation(String uuid) {
    return readings.snapshot().gpus().stream()
        .filter(gpu -> gpu.uuid().equals(uuid))
        .map(GpuSnapshot::memory)
        .findFirst()
        .orElseThrow();
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  @Test
  void knowsNothingBeforeTheFirstReading() {
    assertThat(readings.refresh().failure()).hasSize(1);
    assertThat(readings.snapshot().gpus()).isEmpty();
    assertThat(readings.readAt()).isEmpty();
  }

  @Test
  void growsOldVisiblyWhileTheServerIsDownAndRecoversByItself() {
    next = fetched("GPU-1");
    assertThat(readings.refresh().failure()).isEmpty();
    next = failed();
    pass(Duration.ofSeconds(90));
    readings.refresh();
    assertThat(observation("GPU-1"))
        .isInstanceOfSatisfying(
            MemoryObservation.Measured.class,
            measured -> assertThat(measured.age()).isEqualTo(Duration.ofSeconds(90)));
    pass(Duration.ofSeconds(31));
    assertThat(observation("GPU-1"))
        .isEqualTo(new MemoryObservation.Stale(Duration.ofSeconds(121), LIMIT));
    assertThat(readings.age("GPU-1")).contains(Duration.ofSeconds(121));
    assertThat(readings.forecastAge()).contains(Duration.ofSeconds(121));
    assertThat(readings.find("GPU-1").map(GpuSnapshot::memory)).contains(observation("GPU-1"));
    assertThat(readings.find("GPU-2")).isEmpty();
    next = fetched("GPU-1");
    readings.refresh();
    assertThat(observation("GPU-1")).isInstanceOf(MemoryObservation.Measured.class);
  }

  @Test
  void keepsGpusThatAreMissingFromAnAnswerWithTheirOwnAge() {
    next = fetched("GPU-1", "GPU-2", "GPU-3", "GPU-4");
    readings.refresh();
    pass(Duration.ofMinutes(3));
    next = fetched("GPU-1", "GPU-2");
    readings.refresh();
    assertThat(observation("GPU-1")).isInstanceOf(MemoryObservation.Measured.class);
    assertThat(observation("GPU-3"))
        .isEqualTo(new MemoryObservation.Stale(Duration.ofMinutes(3), LIMIT));
    assertThat(observation("GPU-4"))
        .isEqualTo(new MemoryObservation.Stale(Duration.ofMinutes(3), LIMIT));
  }

  @Test
  void forgetsGpusThatWereUnseenForAnHour() {
    next = fetched("GPU-1", "GPU-2");
    readings.refresh();
    pass(Duration.ofMinutes(61));
    next = fetched("GPU-1");
    readings.refresh();
    assertThat(readings.snapshot().gpus()).extracting(GpuSnapshot::uuid).containsExactly("GPU-1");
  }

  @Test
  void doesNotTakeAFrozenServerForAFreshOne() {
    // the same answer again and again: its samples keep their own times
    next = fetched("GPU-1");
    readings.refresh();
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(30));
      readings.refresh();
    }
    assertThat(observation("GPU-1"))
        .isEqualTo(new MemoryObservation.Stale(Duration.ofMinutes(5), LIMIT));
  }

  @Test
  void takesFlatSeriesForWhatTheyAre() {
    next = fetched("GPU-1", "GPU-2");
    readings.refresh();
    assertThat(observation("GPU-2"))
        .isInstanceOfSatisfying(
            MemoryObservation.Measured.class,
            measured -> assertThat(measured.windowPeak()).isEqualTo(MemorySize.ofGiB(5)));
  }

  @Test
  void readsGpusOfUnlistedProductsWithAWarning() {
    next =
        new MetricsReading.Fetched(
            List.of(device("GPU-1"), named("Quantum 9000")), DroppedSamples.NONE, List.of());
    assertThat(readings.refresh().problems())
        .containsExactly(
            "GPU-2 is granted whole only: the catalogue does not list 'Quantum 9000' with "
                + device("GPU-1").capacity()
                + "; cotenant.devices.file adds products");
    assertThat(readings.snapshot().find("GPU-2").orElseThrow().device())
        .isEqualTo(
            new UnlistedProduct("Quantum 9000", Objects.requireNonNull(device("GPU-1").capacity())))
        .extracting(GpuProduct::id)
        .isEqualTo(new DeviceId("unlisted-quantum-9000"));
  }

  @Test
  void skipsGpusWithoutAProductName() {
    next =
        new MetricsReading.Fetched(
            List.of(device("GPU-1"), named(" ")), DroppedSamples.NONE, List.of());
    assertThat(readings.refresh().problems())
        .containsExactly("GPU-2 skipped: metrics do not name its product");
    assertThat(readings.snapshot().gpus()).hasSize(1);
  }

  private DeviceMetrics named(String product) {
    DeviceMetrics known = device("GPU-1");
    return new DeviceMetrics(
        "GPU-2", "n1", product, false, known.capacity(), known.used(), null, List.of(), null);
  }

  @Test
  void neverMakesARequestWaitForARefresh() throws InterruptedException {
    CountDownLatch requested = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    PolledReadings slow =
        new PolledReadings(
            _ -> {
              requested.countDown();
              try {
                answer.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return fetched("GPU-1");
            },
            new MetricsTranslator(DeviceCatalogue.builtIn()::names),
            new SnapshotAssembler(List.of(), 60, LIMIT),
            "http://slow",
            () -> now);
    Thread poller = Thread.ofVirtual().start(slow::refresh);
    assertThat(requested.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(slow.snapshot().gpus()).isEmpty(); // answered while the server is still asked
    answer.countDown();
    poller.join();
    assertThat(slow.snapshot().gpus()).hasSize(1);
  }
}

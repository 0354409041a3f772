package dev.cotenant.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DcgmReplayTest {
  private static GpuReading gpu(String uuid, long... gib) {
    List<MemorySample> samples = new java.util.ArrayList<>();
    for (long size : gib) {
      samples.add(
          new MemorySample(Instant.EPOCH.plusSeconds(samples.size()), MemorySize.ofGiB(size)));
    }
    return new GpuReading(
        uuid,
        "n1",
        DeviceCatalogue.builtIn().require("t4"),
        MemorySize.ofGiB(15),
        new Tenancy.Shared(List.of()),
        new MemorySeries(samples),
        null);
  }

  private final DcgmReplay replay =
      new DcgmReplay(
          new RecordedCluster(
              Instant.EPOCH, "", List.of(gpu("GPU-1", 1, 2, 3), gpu("GPU-2"), gpu("GPU-\"3", 4))),
          Duration.ofSeconds(30));

  @Test
  void showsOneSampleAfterTheOtherAndBeginsAgain() {
    String labels =
        "{gpu=\"0\",UUID=\"GPU-1\",device=\"nvidia0\",modelName=\"Tesla T4\",Hostname=\"n1\"}";
    assertThat(replay.metrics(Duration.ZERO))
        .contains("# TYPE DCGM_FI_DEV_FB_USED gauge\n")
        .contains("DCGM_FI_DEV_FB_USED" + labels + " 1024\n")
        .contains("DCGM_FI_DEV_FB_FREE" + labels + " 14336\n");
    assertThat(replay.metrics(Duration.ofSeconds(89)))
        .contains("DCGM_FI_DEV_FB_USED" + labels + " 3072\n");
    assertThat(replay.metrics(Duration.ofSeconds(90)))
        .contains("DCGM_FI_DEV_FB_USED" + labels + " 1024\n");
  }

  @Test
  void leavesOutGpusWithoutSamplesAndEscapesLabels() {
    assertThat(replay.metrics(Duration.ZERO)).doesNotContain("GPU-2").contains("GPU-\\\"3");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new DcgmReplay(new RecordedCluster(Instant.EPOCH, "", List.of()), Duration.ZERO));
  }
}

package dev.cotenant.engine.testing;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;

/** Measured runs that nobody measured. */
public final class SampleRows {
  private SampleRows() {}

  /** A convolutional model at a batch on an A100. */
  public static ModelFeatures features(int batchSize) {
    return new ModelFeatures(
        new LayerCounts(53, 1, 49, 55),
        53,
        25_557_032,
        MemorySize.ofBytes(102_228_128),
        4_089_184_256L * batchSize,
        MemorySize.ofMiB(85L * batchSize),
        MemorySize.ofBytes(602_112L * batchSize),
        batchSize);
  }

  /** That model, so busy. */
  public static ProfileRow row(int batchSize, double percent) {
    return new ProfileRow(
        "test",
        "resnet",
        "resnet50",
        features(batchSize),
        RunSettings.DEFAULT,
        new DeviceId("a100-40gb"),
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(percent))
            .withPeakMemory(MemorySize.ofMiB(2_000 + 90L * batchSize)),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }
}

package dev.cotenant.predictor.testing;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Measured runs that were never measured: GPU time from FLOPs and bytes against host time per
 * launch and sample, memory from weights and activations, both with noise. Seeded.
 */
public final class SyntheticRuns {
  private static final List<String> LAYOUTS = List.of("narrow", "pyramid", "uniform", "wide");
  private static final double EFFICIENCY = 0.5;
  private static final double HOST_SECONDS = 2e-3;
  private static final double LAUNCH_SECONDS = 1e-5;

  private final Random random;

  private SyntheticRuns(long seed) {
    this.random = new Random(seed);
  }

  /** So many rows, two thirds perceptrons and one third convolutional, on one device. */
  public static ProfileSource.Result result(int rows, String device, long seed) {
    SyntheticRuns runs = new SyntheticRuns(seed);
    Device on = DeviceCatalogue.builtIn().require(device);
    List<ProfileRow> made = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      made.add(runs.row(i, on));
    }
    return new ProfileSource.Result(made, List.of(), "00".repeat(32), "runs.csv");
  }

  /** So many convolutional rows of 40 to 99 layers, more than {@link #result} ever has. */
  public static ProfileSource.Result large(int rows, String device, long seed) {
    SyntheticRuns runs = new SyntheticRuns(seed);
    Device on = DeviceCatalogue.builtIn().require(device);
    List<ProfileRow> made = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      made.add(runs.row(i, "large", runs.convolutional(40 + runs.random.nextInt(60)), on));
    }
    return new ProfileSource.Result(made, List.of(), "00".repeat(32), "runs.csv");
  }

  /** One perceptron at batches of 1, 2 and so on. */
  public static List<ProfileRow> batches(int count, String device, long seed) {
    SyntheticRuns runs = new SyntheticRuns(seed);
    Device on = DeviceCatalogue.builtIn().require(device);
    List<ProfileRow> made = new ArrayList<>();
    for (int batch = 1; batch <= count; batch++) {
      ModelFeatures model = features(new LayerCounts(0, 4, 3, 2), 123_457, 123_457, batch);
      ProfileRow row = runs.row(batch, "mlp", model, on);
      made.add(
          new ProfileRow(
              row.source(),
              row.family(),
              "mlp/named",
              row.features(),
              row.settings(),
              row.device(),
              row.measurement(),
              row.licence(),
              row.quality()));
    }
    return made;
  }

  private ProfileRow row(int number, Device device) {
    boolean convolutional = number % 3 == 0;
    return row(
        number,
        convolutional ? "cnn" : "mlp",
        convolutional ? convolutional(1 + random.nextInt(30)) : perceptron(),
        device);
  }

  private ProfileRow row(int number, String family, ModelFeatures features, Device device) {
    boolean crashed = number % 50 == 49;
    return new ProfileRow(
        "synthetic:" + number,
        family,
        family + "/" + LAYOUTS.get(random.nextInt(LAYOUTS.size())),
        features,
        RunSettings.DEFAULT,
        device.id(),
        Measurement.NONE
            .withUtilization(crashed ? Utilization.ofPercent(4) : utilization(features, device))
            .withPeakMemory(memory(features)),
        Licence.OWN,
        crashed ? Quality.SUSPECTED_CRASH : Quality.CLEAN);
  }

  private ModelFeatures perceptron() {
    int layers = 2 + random.nextInt(10);
    long width = Math.round(Math.exp(between(3, 8)));
    int batch = 4 + random.nextInt(1000);
    long parameters = layers * width * width;
    return features(
        new LayerCounts(0, layers, layers - 1, random.nextInt(5)), parameters, parameters, batch);
  }

  private ModelFeatures convolutional(int layers) {
    long parameters = Math.round(Math.exp(between(9, 18)));
    int batch = 2 + random.nextInt(60);
    return features(
        new LayerCounts(layers, 1, layers, 1 + random.nextInt(30)),
        parameters,
        parameters * (20 + random.nextInt(200)),
        batch);
  }

  private static ModelFeatures features(
      LayerCounts layers, long parameters, long macsPerSample, int batch) {
    long outputs = layers.total() * Math.round(Math.sqrt((double) macsPerSample));
    return new ModelFeatures(
        layers,
        layers.other() / 2,
        parameters,
        MemorySize.ofBytes(4 * parameters),
        macsPerSample * batch,
        MemorySize.ofBytes(4 * outputs * batch),
        MemorySize.ofBytes(4 * Math.round(Math.sqrt((double) macsPerSample)) * batch),
        batch);
  }

  private Utilization utilization(ModelFeatures model, Device device) {
    double compute =
        3 * model.flops() / (EFFICIENCY * device.peak().teraflops(Precision.FP32) * 1e12);
    double traffic = 8.0 * model.modelSize().bytes() / (device.bandwidthGigabytesPerSecond() * 1e9);
    double busy = Math.max(compute, traffic) + LAUNCH_SECONDS * model.layers().total();
    double share = busy / (busy + HOST_SECONDS);
    return Utilization.ofPercentClipped(97 * share * noise());
  }

  private MemorySize memory(ModelFeatures model) {
    double bytes = 1.5e9 + 4.0 * model.modelSize().bytes() + 1.6 * model.activations().bytes();
    return MemorySize.ofBytesRoundedUp(bytes * noise());
  }

  private double noise() {
    return Math.exp(0.02 * random.nextGaussian());
  }

  private double between(double low, double high) {
    return low + (high - low) * random.nextDouble();
  }
}

package dev.cotenant.engine.profile;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.cluster.GpuReading;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A workload alone on a GPU, with its prediction there.
 *
 * @param model its registered name
 * @param features features of the model at its batch
 * @param prediction what it was admitted with
 * @param aloneSince since when nothing else was on the GPU
 */
public record SoloRun(
    String model, ModelFeatures features, Prediction prediction, Instant aloneSince) {
  /** Start-up and the first epoch's warm-up are not what a run settles at. */
  private static final Duration SETTLING = Duration.ofMinutes(5);

  /** A shorter time says little of a mean. */
  private static final Duration MIN_WINDOW = Duration.ofMinutes(10);

  /**
   * The run as a profile row: mean utilization and peak used memory over the reading's window.
   * Empty until that window lies within the time alone, settling left out, and where nothing was
   * measured, or less memory than the weights take: the pod runs something else.
   */
  public Optional<ProfileRow> measured(GpuReading gpu) {
    return isSettled(gpu.usedMemory()) ? row(gpu) : Optional.empty();
  }

  /**
   * The run as a profile row of a window that lies within the time alone. Empty where samples are
   * from less than half of it, or the memory is less than the weights take.
   *
   * @param gpu measurements in the window
   */
  public Optional<ProfileRow> measured(GpuReading gpu, Instant from, Instant to) {
    List<MemorySample> samples = gpu.usedMemory().samples();
    boolean covers =
        samples.size() >= 2
            && Duration.between(samples.getFirst().at(), samples.getLast().at())
                    .multipliedBy(2)
                    .compareTo(Duration.between(from, to))
                >= 0;
    return covers ? row(gpu) : Optional.empty();
  }

  private Optional<ProfileRow> row(GpuReading gpu) {
    Utilization utilization = gpu.observedUtilization();
    if (utilization == null) {
      return Optional.empty();
    }
    MemorySize peak =
        gpu.usedMemory().samples().stream()
            .map(MemorySample::used)
            .max(Comparator.naturalOrder())
            .orElse(MemorySize.ZERO);
    Measurement measurement = Measurement.NONE.withUtilization(utilization);
    ProfileRow row =
        new ProfileRow(
            "cluster",
            model,
            model,
            features,
            prediction.settings(),
            gpu.device().id(),
            peak.bytes() == 0 ? measurement : measurement.withPeakMemory(peak),
            Licence.OWN,
            ProfileRow.Quality.CLEAN);
    return Plausibility.isPlausible(row) ? Optional.of(row) : Optional.empty();
  }

  private boolean isSettled(MemorySeries series) {
    if (series.isEmpty()) {
      return false;
    }
    Instant first = series.samples().getFirst().at();
    Instant last = series.samples().getLast().at();
    return !first.isBefore(aloneSince.plus(SETTLING))
        && Duration.between(first, last).compareTo(MIN_WINDOW) >= 0;
  }
}

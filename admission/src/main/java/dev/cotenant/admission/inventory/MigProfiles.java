package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.quantity.Coverage;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of MIG devices that drivers publish, and which of them holds a workload: its memory
 * is enforced by the hardware, and its compute and bandwidth stretch every step.
 */
public final class MigProfiles {
  private static final Comparator<MigProfile> SMALLEST_FIRST =
      Comparator.comparing(MigProfile::memory)
          .thenComparingInt(MigProfile::computeSlices)
          .thenComparing(MigProfile::profile)
          .thenComparing(MigProfile::product);

  private final Set<MigProfile> published;
  private final Function<String, Optional<Device>> products;

  /**
   * @param products the device by product label of nodes
   */
  public MigProfiles(Set<MigProfile> published, Function<String, Optional<Device>> products) {
    this.published = published;
    this.products = products;
  }

  /** Products with published devices, if the catalogue has them. */
  public Set<DeviceId> devices() {
    return published.stream()
        .map(this::device)
        .flatMap(Optional::stream)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private Optional<DeviceId> device(MigProfile profile) {
    return products.apply(profile.product().replace(' ', '-')).map(Device::id);
  }

  /**
   * The least memory, then the least compute, that holds a workload.
   *
   * @param predictions by product, with times for the whole device or a share
   * @param level how often the bound of memory must hold
   */
  public Optional<MigProfile> smallest(Map<DeviceId, Prediction> predictions, Coverage level) {
    return published.stream()
        .filter(profile ->
            device(profile)
                .map(predictions::get)
                .filter(prediction -> holds(profile, prediction, level))
                .isPresent())
        .min(SMALLEST_FIRST);
  }

  private static boolean holds(MigProfile profile, Prediction prediction, Coverage level) {
    Coverage coverage = prediction.peakMemory().coverage();
    return coverage != null
        && coverage.compareTo(level) >= 0
        && prediction.peakMemory().upper().isAtMost(profile.memory())
        && keepsObjective(profile, prediction);
  }

  /** Times in instances are not known of every product; an objective is then not kept. */
  private static boolean keepsObjective(MigProfile profile, Prediction prediction) {
    @Nullable ObjectivePrediction service = prediction.service();
    @Nullable ShareCurve times = prediction.shares();
    if (service == null) {
      return true;
    }
    return times != null
        && times.inSlice(profile.computeSlices()).orElse(Double.POSITIVE_INFINITY)
            <= times.stepFactor(service.share()) * service.mostSlowdown();
  }
}

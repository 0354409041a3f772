package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import java.util.Objects;
import java.util.Set;

/**
 * A run to predict.
 *
 * @param model its graph, at its batch
 * @param settings mode and precision
 * @param device where it runs, alone
 * @param host knowledge of the device's host
 * @param level requested coverage of each bound, in (0, 1]
 * @param measuredDevices devices with runs that a correction has learned from
 * @param namespace of the workload, whose own measured runs count beside the shared ones; empty for
 *     the shared ones alone
 */
public record PredictionRequest(
    ModelFeatures model,
    RunSettings settings,
    Device device,
    Host host,
    Coverage level,
    Set<DeviceId> measuredDevices,
    String namespace) {
  public PredictionRequest {
    if (!(level.fraction() > 0)) {
      throw new IllegalArgumentException("level must be above 0, is " + level);
    }
    measuredDevices = Set.copyOf(measuredDevices);
  }

  /**
   * Of a graph only its size and work, of a device only its id: the whole has some sixty fields. Of
   * what a pod states itself nothing is left out, so that no tenant makes keys that collide.
   */
  @Override
  public int hashCode() {
    return Objects.hash(
        model.parameters(),
        model.multiplyAccumulates(),
        model.batchSize(),
        settings,
        device.id(),
        level,
        namespace);
  }

  /** On a host without measured runs of its own, at the {@link Coverage#STANDARD} level. */
  public static PredictionRequest of(ModelFeatures model, RunSettings settings, Device device) {
    return new PredictionRequest(
        model, settings, device, Host.UNKNOWN, Coverage.STANDARD, Set.of(), "");
  }

  /** The same on another host. */
  public PredictionRequest on(Host other) {
    return new PredictionRequest(model, settings, device, other, level, measuredDevices, namespace);
  }

  /** The same at another level. */
  public PredictionRequest at(Coverage other) {
    return new PredictionRequest(model, settings, device, host, other, measuredDevices, namespace);
  }

  /** Copy that counts these devices as measured. */
  public PredictionRequest withMeasured(Set<DeviceId> devices) {
    return new PredictionRequest(model, settings, device, host, level, devices, namespace);
  }

  /** Copy for a workload of a namespace. */
  public PredictionRequest in(String other) {
    return new PredictionRequest(model, settings, device, host, level, measuredDevices, other);
  }
}

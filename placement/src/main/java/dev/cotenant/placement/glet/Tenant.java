package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Service;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A service on one kind of device, with its solo figures in every gpu-let at every batch. Same
 * object, same service.
 */
public final class Tenant {
  /** The largest batch that the paper serves [gpu-lets, sections 3.1 and 6.1]. */
  static final int MAX_BATCH = 32;

  private final Service service;
  private final Map<Size, InLet> sizes = new EnumMap<>(Size.class);

  /**
   * @param service whose
   * @param known of it on the device
   */
  public Tenant(Service service, Known known) {
    this.service = service;
    GpuState state = new GpuState(known.device(), 1);
    for (Size size : Size.ASCENDING) {
      InLet table = new InLet();
      for (int batch = 1; batch <= MAX_BATCH; batch++) {
        state.clear();
        state.place(known.profile(), batch, size.percent(), known.activeTime().millis(batch, size));
        table.add(batch, state, service.sloMillis());
        if (known.measured().isPresent()) {
          table.usage[batch] = known.measured().get().apply(batch).atShare(size.percent());
        }
      }
      sizes.put(size, table);
    }
  }

  /** The time of a batch alone in a gpu-let. */
  @FunctionalInterface
  public interface ActiveTime {
    double millis(int batch, Size size);
  }

  /**
   * Coefficients and measurements of a service on a device.
   *
   * @param profile its coefficients
   * @param device the device's coefficients
   * @param measured measured usage of a whole GPU, by batch; if absent, L2 follows the profile and
   *     memory bandwidth counts as used as much as L2
   * @param activeTime replaces the active time of the profile
   */
  public record Known(
      WorkloadProfile profile,
      DeviceProfile device,
      Optional<IntFunction<Usage>> measured,
      ActiveTime activeTime) {
    /** With the active time of the profile, nothing measured. */
    static Known of(WorkloadProfile profile, DeviceProfile device) {
      return new Known(
          profile,
          device,
          Optional.empty(),
          (batch, size) -> profile.activeTime().millis(batch, size.percent()));
    }
  }

  /** One gpu-let, by batch. */
  private static final class InLet {
    private static final double ROUNDING = 1e-10;

    final double[] latencyMillis = new double[MAX_BATCH + 1];
    final double[] busyMillis = new double[MAX_BATCH + 1];
    final Usage[] usage = new Usage[MAX_BATCH + 1];
    int largestBatch;
    double mostPerSecond;

    void add(int batch, GpuState state, double sloMillis) {
      if (state.evaluate() != GpuState.Status.VALID) {
        latencyMillis[batch] = Double.POSITIVE_INFINITY;
        busyMillis[batch] = Double.POSITIVE_INFINITY;
        usage[batch] = new Usage(1, 1);
        return;
      }
      double rate = state.throughputPerSecond(0);
      double l2 = Math.clamp(state.l2Percent(0), 0, 100.0) / 100.0;
      latencyMillis[batch] = state.latencyMillis(0);
      busyMillis[batch] = Milliseconds.PER_SECOND * batch / rate;
      usage[batch] = new Usage(l2, l2);
      if (2 * latencyMillis[batch] <= sloMillis * (1 + ROUNDING)) {
        largestBatch = batch;
        mostPerSecond = Math.max(mostPerSecond, rate);
      }
    }
  }

  private InLet in(Size size) {
    return Objects.requireNonNull(sizes.get(size));
  }

  String name() {
    return service.name();
  }

  double sloMillis() {
    return service.sloMillis();
  }

  /** Of the whole service. */
  public double requestsPerSecond() {
    return service.requestsPerSecond();
  }

  /** Memory on a GPU; zero if unknown. */
  MemorySize memory() {
    MemorySize known = service.memory();
    return known == null ? MemorySize.ZERO : known;
  }

  /** L(b, p): from arrival on the GPU to answer; infinite where the profile does not reach. */
  public double latencyMillis(int batch, Size size) {
    return in(size).latencyMillis[batch];
  }

  /** How long a batch keeps its gpu-let; less than the latency, since inputs load meanwhile. */
  public double busyMillis(int batch, Size size) {
    return in(size).busyMillis[batch];
  }

  /** What a batch uses in the gpu-let. */
  public Usage usage(int batch, Size size) {
    return in(size).usage[batch];
  }

  /** The largest batch that meets the objective twice in sequence, one waiting; 0 if none does. */
  int largestBatch(Size size) {
    return in(size).largestBatch;
  }

  /** Maximum rate in a gpu-let; 0 if no batch fits. */
  double mostPerSecond(Size size) {
    return in(size).mostPerSecond;
  }
}

package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Map;
import java.util.Objects;

/** Whether the model bears out why a workload has no place. */
final class ReasonCheck {
  private static final double TOLERANCE = 1e-6;
  private static final int MAX_BATCH = 1 << 16;
  private static final double WAITING_AND_RUNNING = 2;
  private final Fleet fleet;
  private final Map<String, DeviceType> devices;
  private final Map<String, Long> used;

  /** With the number of used devices by kind. */
  ReasonCheck(Fleet fleet, Map<String, DeviceType> devices, Map<String, Long> used) {
    this.fleet = fleet;
    this.devices = devices;
    this.used = used;
  }

  boolean isTrue(Service service, PlanReason reason) {
    DeviceType type = devices.get(reason.device());
    if (type == null) {
      return false;
    }
    DeviceProfile device = type.profile();
    WorkloadProfile profile = service.profiles().get(reason.device());
    return switch (reason) {
      case PlanReason.NotProfiled ignored -> device == null || profile == null;
      case PlanReason.ObjectiveUnreachable objective ->
          device != null && profile != null && isTrue(service, objective, device, profile);
      case PlanReason.RateUnreachable rate ->
          device != null && profile != null && isTrue(service, rate, device, profile);
      case PlanReason.MemoryBeyondDevice memory ->
          holds(service, memory.needed()) && isTrue(memory, type);
      case PlanReason.CountLimit limit -> isTrue(limit, type);
      case PlanReason.PartsLimit limit -> device != null && profile != null && isTrue(limit, type);
      case PlanReason.NotProposed ignored -> devices.size() > 1 || !isProposed(service);
      case PlanReason.MemoryTaken memory ->
          holds(service, memory.needed())
              && !memory.needed().isAtMost(memory.left())
              && memory.left().isAtMost(type.memory());
      case PlanReason.NoBatch batch -> isTrue(service, batch);
    };
  }

  /** At some batch. */
  private static boolean holds(Service service, MemorySize memory) {
    MemorySize most = service.memory();
    return service.memoryByBatch() == null
        ? memory.equals(most)
        : most != null && service.memoryAt(1).isAtMost(memory) && memory.isAtMost(most);
  }

  private boolean isProposed(Service service) {
    return fleet.placement().stream().anyMatch(share -> share.service().equals(service.name()));
  }

  /** Whether the figures match the service and justify the reason. */
  private static boolean isTrue(Service service, PlanReason.NoBatch reason) {
    PlanReason.NoBatch.Prediction prediction = reason.prediction();
    boolean late = prediction.leastMillis() > prediction.sloMillis();
    boolean slow = prediction.mostPerSecond() < prediction.requestsPerSecond();
    return (late || slow)
        && near(prediction.sloMillis(), service.sloMillis())
        && prediction.requestsPerSecond() <= service.requestsPerSecond() * (1 + TOLERANCE);
  }

  private static boolean isTrue(
      Service service,
      PlanReason.ObjectiveUnreachable reason,
      DeviceProfile device,
      WorkloadProfile profile) {
    GpuState alone = alone(device, profile, 1);
    return reason.leastMillis() > reason.budgetMillis()
        && reason.budgetMillis() <= service.sloMillis() * (1 + TOLERANCE)
        && near(reason.leastMillis(), alone.latencyMillis(0));
  }

  /**
   * No batch that keeps half the objective serves the rate on a whole GPU; where requests queue,
   * how much less a GPU serves is the strategy's to say.
   */
  private boolean isTrue(
      Service service,
      PlanReason.RateUnreachable reason,
      DeviceProfile device,
      WorkloadProfile profile) {
    double rate = reason.requestsPerSecond() * (1 + TOLERANCE);
    return reason.mostPerSecond() < reason.requestsPerSecond()
        && reason.requestsPerSecond() <= service.requestsPerSecond() * (1 + TOLERANCE)
        && (fleet.arrivals() == Arrivals.POISSON
            || most(service, device, profile) < rate
            || isMostWithUploads(service, reason, device, profile));
  }

  /** The figure counts uploads, and so counted, a GPU serves less than the rate. */
  private static boolean isMostWithUploads(
      Service service,
      PlanReason.RateUnreachable reason,
      DeviceProfile device,
      WorkloadProfile profile) {
    double most = mostWithUploads(service, device, profile);
    return most < reason.requestsPerSecond() && reason.mostPerSecond() <= most * (1 + TOLERANCE);
  }

  /** There are not as many GPUs left as parts; how many it takes is the strategy's to say. */
  private boolean isTrue(PlanReason.PartsLimit reason, DeviceType type) {
    return reason.maxCount() == type.maxCount()
        && reason.parts() > 1
        && used(type.id()) + reason.parts() > type.maxCount();
  }

  /** What a GPU serves with the workload alone on it at this batch. */
  private interface Throughput {
    double perSecond(GpuState alone, int batch);
  }

  /** What a whole GPU serves within half the objective. */
  private static double most(Service service, DeviceProfile device, WorkloadProfile profile) {
    return most(service, device, profile, (alone, batch) -> alone.throughputPerSecond(0));
  }

  /** With uploads between batches instead of beside them, as InSS counts them: b/t_inf. */
  private static double mostWithUploads(
      Service service, DeviceProfile device, WorkloadProfile profile) {
    return most(
        service,
        device,
        profile,
        (alone, batch) -> Milliseconds.PER_SECOND * batch / alone.latencyMillis(0));
  }

  private static double most(
      Service service, DeviceProfile device, WorkloadProfile profile, Throughput throughput) {
    double most = 0;
    GpuState alone = alone(device, profile, 1);
    for (int batch = 2;
        batch < MAX_BATCH && WAITING_AND_RUNNING * alone.latencyMillis(0) <= service.sloMillis();
        batch++) {
      most = Math.max(most, throughput.perSecond(alone, batch - 1));
      alone = alone(device, profile, batch);
    }
    return most;
  }

  private static boolean isTrue(PlanReason.MemoryBeyondDevice reason, DeviceType type) {
    return reason.capacity().equals(type.memory()) && !reason.needed().isAtMost(reason.capacity());
  }

  private boolean isTrue(PlanReason.CountLimit reason, DeviceType type) {
    return reason.maxCount() == type.maxCount() && used(type.id()) >= type.maxCount();
  }

  private long used(String device) {
    return Objects.requireNonNullElse(used.get(device), 0L);
  }

  private static GpuState alone(DeviceProfile device, WorkloadProfile profile, int batch) {
    GpuState state = new GpuState(device, 1);
    state.place(profile, batch, Share.WHOLE.percent());
    if (state.evaluate() != GpuState.Status.VALID) {
      throw new IllegalArgumentException(profile.name() + " has no figures at batch " + batch);
    }
    return state;
  }

  private static boolean near(double stated, double modelled) {
    return Math.abs(stated - modelled) <= TOLERANCE * Math.abs(modelled);
  }
}

package dev.cotenant.lab.gpulets;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.glet.Tenant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Profiles of the models of the gpu-lets paper on the GPU that its authors measured. */
final class GletModels {
  /*
   * The authors publish utilizations of every model and batch on an RTX 2080 Ti, but no latencies:
   * the durations beside them are those of profiled runs, 2 to 10 times as long. So the time of a
   * batch takes its form from the graph (ColdStart: kernels that no share makes faster, arithmetic or
   * traffic of each sample, weights read once) and its height from the one latency that the paper
   * does give: the objective is twice the latency of batch 32 alone on the whole GPU [section 6.1].
   */
  private static final int ANCHOR_BATCH = 32;

  /** Only ratios of frequencies matter, and with slope 0 there are none. */
  private static final double ANY_MEGAHERTZ = 1;

  private static final double PCIE_BYTES_PER_MILLISECOND = 1e7;
  private static final double SHARE_UNIT_PERCENT = 10;

  private final Map<String, GraphWork> works;
  private final List<UtilizationCell> cells;
  private final Device device;

  /**
   * @param works of the models by name
   * @param cells utilizations measured on the device
   * @param device that they were measured on
   */
  GletModels(Map<String, GraphWork> works, List<UtilizationCell> cells, Device device) {
    this.works = works;
    this.cells = cells;
    this.device = device;
  }

  /** Coefficients of the device; power is left out, since only single tenants are evaluated. */
  private DeviceProfile deviceProfile() {
    return new DeviceProfile(
        device.id().value(),
        device.boardPowerWatts(),
        ANY_MEGAHERTZ,
        0,
        PCIE_BYTES_PER_MILLISECOND,
        0,
        0,
        0,
        SHARE_UNIT_PERCENT);
  }

  /**
   * Whether it is known what a model does and uses.
   *
   * @throws InputException ({@code glet-model-missing})
   */
  void require(String model) {
    if (!works.containsKey(model)) {
      throw missing(model, "no graph");
    }
    if (cells(model).isEmpty()) {
      throw missing(model, "no utilization");
    }
  }

  /** A model at a rate, where shares have this effect; empty at no rate. */
  Optional<Tenant> tenant(PaperModel model, double requestsPerSecond, ShareEffect effect) {
    return requestsPerSecond == 0
        ? Optional.empty()
        : Optional.of(tenant(model, model.sloMillis(), requestsPerSecond, effect));
  }

  /** As above with an individual objective; the rate must be above 0. */
  Tenant tenant(PaperModel model, double sloMillis, double requestsPerSecond, ShareEffect effect) {
    String id = device.id().value();
    WorkloadProfile profile = profile(model);
    Service service =
        new Service(model.key(), sloMillis, requestsPerSecond, null, Map.of(id, profile));
    return new Tenant(
        service,
        new Tenant.Known(
            profile,
            deviceProfile(),
            Optional.of(new MeasuredUsage(cells(model.key()))),
            (batch, size) -> effect.millis(profile, batch, size)));
  }

  Device device() {
    return device;
  }

  private List<UtilizationCell> cells(String model) {
    return cells.stream().filter(cell -> cell.model().equals(model)).toList();
  }

  private WorkloadProfile profile(PaperModel model) {
    GraphWork work = Objects.requireNonNull(works.get(model.key()));
    WorkloadProfile guess = ColdStart.profile(model.key(), work, device, Share.WHOLE.percent());
    double anchor = guess.activeTime().millis(ANCHOR_BATCH, Share.WHOLE.percent());
    return scaled(guess, model.sloMillis() / 2 / anchor);
  }

  private static WorkloadProfile scaled(WorkloadProfile guess, double by) {
    return new WorkloadProfile(
        guess.name(),
        guess.device(),
        guess.activeTime().scaledBy(by),
        guess.cacheSensitivity(),
        guess.demand(),
        0,
        0,
        0,
        0);
  }

  private static InputException missing(String model, String what) {
    return InputException.invalidArgument(
        "glet-model-missing",
        "There is " + what + " of '" + model + "', which the scenarios of gpu-lets need.");
  }
}

package dev.cotenant.lab.plans;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ServedWorkload;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Fleets of iGniter's paper: its four profiled models on p3.2xlarge instances, each with one V100,
 * at the paper's price; requests at equal intervals.
 */
public final class IgniterFleets {
  /** The device of the profiles. */
  public static final String V100 = "v100-16gb";

  /** A device that the paper adds in section 5.3. */
  public static final String T4 = "t4";

  /** Dollars an hour of a p3.2xlarge [iGniter, section 5.1]. */
  private static final double PRICE_PER_HOUR = 3.06;

  private static final ProfileBook BOOK = ProfileBook.builtIn();

  /** A g4dn.xlarge with one T4 [iGniter, section 5.3]. */
  private static final double T4_PRICE_PER_HOUR = 0.526;

  /** Twice the compute of a T4 [iGniter, section 5.3]. */
  private static final double V100_OVER_T4 = 2;

  private IgniterFleets() {}

  /** The twelve workloads of [iGniter, Table 3], in the order of the authors' code. */
  public static Fleet twelve() {
    return of(ProfileBook.twelveWorkloads().served());
  }

  /** The three workloads of [iGniter, Table 1]: objectives and rates of section 2.3. */
  public static Fleet three() {
    return of(
        List.of(
            new ServedWorkload("A", "alexnet", 15, 500),
            new ServedWorkload("R", "resnet50", 40, 400),
            new ServedWorkload("V", "vgg19", 60, 200)));
  }

  /**
   * Services on as many V100s as they need.
   *
   * @throws InputException ({@code unknown-profile}) for a model without a built-in profile
   */
  public static Fleet of(List<ServedWorkload> served) {
    List<Service> services = new ArrayList<>();
    for (ServedWorkload each : served) {
      services.add(
          new Service(
              each.name(),
              each.sloMillis(),
              each.requestsPerSecond(),
              null,
              Map.of(
                  V100,
                  BOOK.workload(each.profile())
                      .orElseThrow(() ->
                          InputException.malformed(
                              "unknown-profile",
                              "There is no built-in profile '" + each.profile() + "'.")))));
    }
    return new Fleet(List.of(v100()), services, List.of(), List.of(), Arrivals.CONSTANT);
  }

  /**
   * The twelve workloads with T4 instances to choose too. A T4's coefficients were not published:
   * those of a V100 stand in, with twice the active time and the T4's power limit, to which power
   * scales.
   */
  public static Fleet twelveWithT4() {
    Fleet twelve = twelve();
    Device t4 = DeviceCatalogue.builtIn().require(T4);
    double watts = t4.boardPowerWatts() / BOOK.requireDevice(V100).maxPowerWatts();
    DeviceType type =
        new DeviceType(T4, t4.memory(), T4_PRICE_PER_HOUR, Integer.MAX_VALUE, t4(watts));
    List<Service> services =
        twelve.services().stream()
            .map(service -> {
              WorkloadProfile profile = Objects.requireNonNull(service.profiles().get(V100));
              return new Service(
                  service.name(),
                  service.sloMillis(),
                  service.requestsPerSecond(),
                  null,
                  Map.of(V100, profile, T4, t4(profile, watts)));
            })
            .toList();
    return twelve.on(List.of(v100(), type)).serving(services);
  }

  private static DeviceProfile t4(double watts) {
    DeviceProfile v100 = BOOK.requireDevice(V100);
    return new DeviceProfile(
        T4,
        watts * v100.maxPowerWatts(),
        v100.maxFrequencyMegahertz(),
        watts * v100.idlePowerWatts(),
        v100.pcieBytesPerMillisecond(),
        v100.frequencySlope() / watts,
        v100.schedulingSlope(),
        v100.schedulingIntercept(),
        v100.shareUnitPercent());
  }

  private static WorkloadProfile t4(WorkloadProfile v100, double watts) {
    WorkloadProfile.ActiveTime times = v100.activeTime();
    WorkloadProfile.Demand demand = v100.demand();
    return new WorkloadProfile(
        v100.name(),
        T4,
        new WorkloadProfile.ActiveTime(
            V100_OVER_T4 * times.k1(),
            V100_OVER_T4 * times.k2(),
            V100_OVER_T4 * times.k3(),
            times.k4(),
            V100_OVER_T4 * times.k5()),
        v100.cacheSensitivity(),
        new WorkloadProfile.Demand(
            V100_OVER_T4 * watts * demand.powerSlope(),
            watts * demand.powerIntercept(),
            V100_OVER_T4 * demand.l2Slope(),
            demand.l2Intercept()),
        v100.kernels(),
        v100.schedulingMillis(),
        v100.inputBytes(),
        v100.outputBytes());
  }

  private static DeviceType v100() {
    Device device = DeviceCatalogue.builtIn().require(V100);
    return new DeviceType(
        V100, device.memory(), PRICE_PER_HOUR, Integer.MAX_VALUE, BOOK.requireDevice(V100));
  }
}

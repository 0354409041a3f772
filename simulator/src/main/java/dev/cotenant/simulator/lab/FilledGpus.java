package dev.cotenant.simulator.lab;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.inss.InssPlanner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Stands in for the learned placement of InSS: every GPU of the fleet in use and no share left, so
 * that throughput is close to its largest [InSS, problem 1]. Batches are BDA's.
 *
 * <p>Services by load, the largest first, each on the GPU with the least load; the shares of a GPU
 * in proportion to loads. A service's load is the part of a GPU that its rate takes in batches of
 * 4.
 */
final class FilledGpus implements ServicePlanner {
  private static final int BATCH = 4;
  private static final double FULL_PERCENT = 100;

  private final InssPlanner bda = new InssPlanner();

  @Override
  public String name() {
    return "inss-bda-filled";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    List<Gpu> gpus = new ArrayList<>();
    for (DeviceType type : fleet.devices()) {
      for (int i = 0; i < type.maxCount(); i++) {
        gpus.add(new Gpu(gpus.size(), type));
      }
    }
    DeviceType first = fleet.devices().getFirst();
    fleet.services().stream()
        .sorted(
            Comparator.comparingDouble((Service service) -> -load(service, first))
                .thenComparing(Service::name))
        .forEach(service ->
            gpus.stream()
                .min(Comparator.comparingDouble(gpu -> gpu.load + load(service, gpu.type)))
                .orElseThrow()
                .add(service));
    List<FixedShare> shares = gpus.stream().flatMap(gpu -> gpu.shares().stream()).toList();
    return bda.plan(
        new Fleet(fleet.devices(), fleet.services(), fleet.jobs(), shares, fleet.arrivals()));
  }

  private static double load(Service service, DeviceType type) {
    double millis =
        Objects.requireNonNull(service.profiles().get(type.id()))
            .activeTime()
            .millis(BATCH, FULL_PERCENT);
    return service.requestsPerSecond() * millis / BATCH;
  }

  /** A GPU that is filled. */
  private static final class Gpu {
    private final int index;
    private final DeviceType type;
    private final List<Service> services = new ArrayList<>();
    private double load;

    Gpu(int index, DeviceType type) {
      this.index = index;
      this.type = type;
    }

    void add(Service service) {
      services.add(service);
      load += load(service, type);
    }

    /** In whole units of the device; what rounding leaves goes to the first, the largest load. */
    List<FixedShare> shares() {
      int units = units();
      List<FixedShare> shares = new ArrayList<>();
      int left = units;
      for (int i = services.size() - 1; i >= 0; i--) {
        double part = load(services.get(i), type) / load * units;
        int own = i == 0 ? left : (int) Math.max(1, Math.floor(part));
        left -= own;
        Share share = Share.ofPercent(FULL_PERCENT * own / units);
        shares.add(new FixedShare(index, services.get(i).name(), share));
      }
      return shares;
    }

    private int units() {
      double percent = Objects.requireNonNull(type.profile()).shareUnitPercent();
      return (int) Math.round(FULL_PERCENT / percent);
    }
  }
}

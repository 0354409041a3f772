package dev.cotenant.placement.igniter;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;

/** The share and batch that a service needs on one kind of device. */
sealed interface Sizing {
  /** A division into equal parts, a single one if possible. */
  record Parts(List<Need> needs) implements Sizing {}

  /** It cannot be served on this kind of device. */
  record Impossible(PlanReason reason) implements Sizing {}

  /** A service on a kind of device. */
  static Sizing of(DeviceType type, Service service) {
    return of(type, service, Uploads.BESIDE_BATCHES);
  }

  /** Sizing of a service on a kind of device, with time for its uploads. */
  static Sizing of(DeviceType type, Service service, Uploads uploads) {
    DeviceProfile device = type.profile();
    WorkloadProfile profile = service.profiles().get(type.id());
    if (device == null || profile == null) {
      return new Impossible(new PlanReason.NotProfiled(type.id()));
    }
    MemorySize memory = service.memory();
    if (memory != null && memory.compareTo(type.memory()) > 0) {
      return new Impossible(new PlanReason.MemoryBeyondDevice(type.id(), memory, type.memory()));
    }
    return new Splitting(type, service, new Running(device, profile, uploads)).sizing();
  }

  /** How a service runs on a device. */
  record Running(DeviceProfile device, WorkloadProfile profile, Uploads uploads) {}

  /** How a rate is spread over GPUs when one is not enough. */
  final class Splitting {
    /*
     * The fewest equal parts of the rate whose r_lower is within a GPU each. b_appr and with it
     * r_lower fall with the rate, so with b* the largest batch that a whole GPU runs in time, the
     * largest rate of a part is that whose b_appr is b*: from equation 17,
     * R = 2·b*·B / (T·B − 2·b*·d_load), or 2·b* / T with uploads between batches. Rounding is put right
     * by trying the neighbours.
     */
    private static final int MAX_PARTS = 1_000_000;

    private final DeviceType type;
    private final DeviceProfile device;
    private final Service service;
    private final WorkloadProfile profile;
    private final Uploads uploads;
    private final Share unit;

    private Splitting(DeviceType type, Service service, Running running) {
      this.type = type;
      this.service = service;
      device = running.device();
      profile = running.profile();
      uploads = running.uploads();
      unit = Share.nearestToPercent(device.shareUnitPercent());
    }

    private Sizing sizing() {
      Provision whole = provision(1);
      if (fits(whole.batch(), whole.units())) {
        return new Parts(List.of(need(1, whole)));
      }
      if (!fits(1)) {
        return new Impossible(
            new PlanReason.ObjectiveUnreachable(
                type.id(), alone(1).latencyMillis(0), service.sloMillis() / 2));
      }
      long largest = largestBatch(whole.batch());
      double most = mostPerSecond(largest);
      if (type.maxCount() * most < service.requestsPerSecond()) {
        return new Impossible(
            new PlanReason.RateUnreachable(type.id(), most, service.requestsPerSecond()));
      }
      return parts(count(largest));
    }

    private Parts parts(int count) {
      Need each = need(count, provision(count));
      List<Need> needs = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        needs.add(each);
      }
      return new Parts(needs);
    }

    private int count(long largestBatch) {
      double rate = uploads.mostPerSecond(device, profile, service.sloMillis(), largestBatch);
      double guess = Math.ceil(service.requestsPerSecond() / rate);
      if (!(guess < MAX_PARTS)) {
        throw InputException.tooLarge(
            "rate-too-large",
            "Workload '"
                + service.name()
                + "' would be split over more than "
                + MAX_PARTS
                + " partitions: lower its request rate.");
      }
      int count = Math.max(2, (int) guess);
      while (count > 2 && fits(provision(count - 1))) {
        count--;
      }
      while (!fits(provision(count))) {
        count++;
      }
      return count;
    }

    private long largestBatch(long tooLarge) {
      long fitting = 1;
      long beyond = tooLarge;
      while (fitting + 1 < beyond) {
        long middle = fitting + (beyond - fitting) / 2;
        if (fits(middle)) {
          fitting = middle;
        } else {
          beyond = middle;
        }
      }
      return fitting;
    }

    private Provision provision(int parts) {
      return uploads.provision(
          device, profile, service.sloMillis(), service.requestsPerSecond() / parts);
    }

    private Need need(int parts, Provision each) {
      return new Need(
          service,
          profile,
          service.requestsPerSecond() / parts,
          (int) each.batch(),
          (int) each.units());
    }

    private boolean fits(long batch) {
      return fits(batch, Provision.units(device, profile, service.sloMillis(), batch));
    }

    private boolean fits(Provision provision) {
      return fits(provision.batch(), provision.units());
    }

    private boolean fits(long batch, long units) {
      return units <= unit.perGpu() && batch <= Integer.MAX_VALUE;
    }

    /** Without a limit where the coefficients do not reach so far. */
    private double mostPerSecond(long batch) {
      GpuState state = alone(batch);
      return state.evaluate() == GpuState.Status.VALID
          ? uploads.throughputPerSecond(state, batch)
          : Double.POSITIVE_INFINITY;
    }

    /** Alone on a whole GPU. */
    private GpuState alone(long batch) {
      GpuState state = new GpuState(device, 1);
      state.place(profile, (double) batch, unit.percentOf(unit.perGpu()));
      state.evaluate();
      return state;
    }
  }
}

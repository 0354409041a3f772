package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Service;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** The partition of five sizes that serves most for its size, the highest rate first. */
final class EfficientPartitions implements Rules {
  private static final Share TENTH = Share.ofPercent(10);
  private static final int[] SIZES = {2, 4, 5, 6, 8};
  private static final int MAX_SIZE = 8;
  private static final double ALIKE = 0.01;

  @Override
  public Share unit(DeviceProfile device) {
    return TENTH;
  }

  @Override
  public Comparator<Need> order() {
    return Comparator.comparingDouble(need -> -need.requestsPerSecond());
  }

  @Override
  public Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    return new BestFitOfTwo(device, gpus);
  }

  @Override
  public Sizing size(DeviceType type, Service service) {
    return switch (Sizing.of(type, service)) {
      case Sizing.Impossible impossible -> impossible;
      case Sizing.Parts(List<Need> parts) -> {
        DeviceProfile device = Objects.requireNonNull(type.profile());
        Need sized = new Alone(device, parts.getFirst()).sized();
        yield new Sizing.Parts(parts.stream().map(part -> sized).toList());
      }
    };
  }

  /** A need in partitions of its own. */
  private static final class Alone {
    private final Need need;
    private final GpuState state;

    Alone(DeviceProfile device, Need need) {
      this.need = need;
      state = new GpuState(device, 1);
    }

    Need sized() {
      if (largestBatch(MAX_SIZE) == 0) {
        return with(TENTH.perGpu());
      }
      double best = 0;
      for (int size : SIZES) {
        best = Math.max(best, efficiency(size));
      }
      for (int size : SIZES) {
        if (efficiency(size) >= best * (1 - ALIKE)) {
          return with(size);
        }
      }
      return with(MAX_SIZE);
    }

    /** Maximum rate per tenth of a GPU; zero if below the service's rate. */
    private double efficiency(int size) {
      double most = throughput(Math.max(1, largestBatch(size)), size);
      return size == MAX_SIZE || most >= need.requestsPerSecond() ? most / size : 0;
    }

    /** The smallest batch that keeps up with the rate; the largest in time where none does. */
    private Need with(int size) {
      int largest = largestBatch(size);
      int least = 1;
      while (least < largest && throughput(least, size) < need.requestsPerSecond()) {
        least++;
      }
      return need.with(least, size);
    }

    /** Doubles until late, then halves the gap; 0 where a batch of one is late. */
    private int largestBatch(int size) {
      int late = 1;
      while (late < Integer.MAX_VALUE / 2 && latency(late, size) <= need.budgetMillis()) {
        late *= 2;
      }
      int inTime = late / 2;
      while (inTime + 1 < late) {
        int middle = (inTime + late) / 2;
        if (latency(middle, size) <= need.budgetMillis()) {
          inTime = middle;
        } else {
          late = middle;
        }
      }
      return inTime;
    }

    private double latency(int batch, int size) {
      return evaluate(batch, size) ? state.latencyMillis(0) : Double.POSITIVE_INFINITY;
    }

    private double throughput(int batch, int size) {
      return evaluate(batch, size) ? state.throughputPerSecond(0) : 0;
    }

    private boolean evaluate(int batch, int size) {
      state.clear();
      state.place(need.profile(), batch, TENTH.percentOf(size));
      return state.evaluate() == GpuState.Status.VALID;
    }
  }
}

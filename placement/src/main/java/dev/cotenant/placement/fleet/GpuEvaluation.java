package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What iGniter's model predicts of every turn of a planned GPU when requests come at equal
 * intervals. Active times alone are the measured ones where a profile has points.
 */
public final class GpuEvaluation {
  /*
   * A partition of one service: t_inf and h as the model gives them; a request waits for its batch
   * as long as the batch may take, so that t_inf must be within half the objective and h must reach
   * the rate [iGniter, section 3.2]. Turns: every cycle runs one batch of each, so that h = b /
   * cycle, where the cycle is the sum of t_gpu + t_feedback over the turns, and a request that has
   * just missed its turn waits a cycle: cycle + t_inf must be within the objective [Nexus, section
   * 4.1; gpu-lets, section 4.3]. Beside a partition of several turns the one that draws most L2
   * counts, as if it ran all the time.
   */
  private final Map<String, Service> services = new HashMap<>();
  private final Map<String, DeviceProfile> devices = new HashMap<>();

  /** For plans of this fleet. */
  public GpuEvaluation(Fleet fleet) {
    fleet.services().forEach(service -> services.put(service.name(), service));
    for (DeviceType type : fleet.devices()) {
      DeviceProfile profile = type.profile();
      if (profile != null) {
        devices.put(type.id(), profile);
      }
    }
  }

  /**
   * Prediction of one turn.
   *
   * @param service whose
   * @param latencyMillis t_inf of its largest batch; infinite where the model gives no figure
   * @param throughputPerSecond the most it serves; 0 where the model gives no figure
   * @param worstMillis latency of a request with its wait, compared with the objective
   * @param meets whether latency and rate hold
   */
  public record TurnPrediction(
      String service,
      double latencyMillis,
      double throughputPerSecond,
      double worstMillis,
      boolean meets) {}

  /** One prediction a turn, partition by partition. */
  public List<List<TurnPrediction>> of(PlannedGpu gpu) {
    DeviceProfile device = devices.get(gpu.device());
    if (device == null) {
      throw new IllegalArgumentException("device " + gpu.device() + " is not profiled");
    }
    List<Partition> partitions = gpu.partitions();
    GpuState state = new GpuState(device, partitions.size());
    int[] loudest = new int[partitions.size()];
    for (int i = 0; i < loudest.length; i++) {
      loudest[i] = loudest(state, gpu, i);
    }
    List<List<TurnPrediction>> all = new ArrayList<>();
    for (int i = 0; i < loudest.length; i++) {
      all.add(turns(state, gpu, loudest, i));
    }
    return all;
  }

  /** The turn that draws most L2 when it is alone. */
  private int loudest(GpuState state, PlannedGpu gpu, int partition) {
    List<Turn> turns = gpu.partitions().get(partition).turns();
    int best = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int k = 0; turns.size() > 1 && k < turns.size(); k++) {
      state.clear();
      place(state, gpu, partition, turns.get(k));
      if (state.evaluate() == GpuState.Status.VALID && state.l2Percent(0) > most) {
        most = state.l2Percent(0);
        best = k;
      }
    }
    return best;
  }

  private List<TurnPrediction> turns(GpuState state, PlannedGpu gpu, int[] loudest, int own) {
    List<Turn> turns = gpu.partitions().get(own).turns();
    double[] latency = new double[turns.size()];
    double[] busy = new double[turns.size()];
    double cycle = 0;
    for (int k = 0; k < turns.size(); k++) {
      state.clear();
      for (int i = 0; i < loudest.length; i++) {
        int turn = i == own ? k : loudest[i];
        place(state, gpu, i, gpu.partitions().get(i).turns().get(turn));
      }
      boolean valid = state.evaluate() == GpuState.Status.VALID;
      latency[k] = valid ? state.latencyMillis(own) : Double.POSITIVE_INFINITY;
      busy[k] =
          valid
              ? Milliseconds.PER_SECOND * turns.get(k).batch() / state.throughputPerSecond(own)
              : Double.POSITIVE_INFINITY;
      cycle += busy[k];
    }
    List<TurnPrediction> predictions = new ArrayList<>();
    for (int k = 0; k < latency.length; k++) {
      predictions.add(prediction(turns.get(k), latency[k], cycle, turns.size() == 1));
    }
    return predictions;
  }

  private TurnPrediction prediction(Turn turn, double latency, double cycle, boolean alone) {
    double throughput = Milliseconds.PER_SECOND * turn.batch() / cycle;
    double worst = alone ? 2 * latency : cycle + latency;
    boolean meets =
        worst <= service(turn).sloMillis() * (1 + Rounding.SLACK)
            && throughput >= turn.requestsPerSecond() * (1 - Rounding.SLACK);
    return new TurnPrediction(turn.service(), latency, throughput, worst, meets);
  }

  /** Times of batches of one up to the planned size; infinite if the model gives no figure. */
  public BatchTimes times(PlannedGpu gpu, int partition, int turn) {
    GpuState state = new GpuState(device(gpu), gpu.partitions().size());
    int[] running = new int[gpu.partitions().size()];
    for (int i = 0; i < running.length; i++) {
      running[i] = i == partition ? turn : loudest(state, gpu, i);
    }
    return times(gpu, running, partition);
  }

  /**
   * Times beside a given turn in each of the other partitions.
   *
   * @param running the turn in each partition, at its planned batch; below 0 where none runs
   */
  public BatchTimes times(PlannedGpu gpu, int[] running, int partition) {
    GpuState state = new GpuState(device(gpu), running.length);
    Turn own = gpu.partitions().get(partition).turns().get(running[partition]);
    BatchTimes times = new BatchTimes(own.batch());
    for (int k = 1; k <= own.batch(); k++) {
      state.clear();
      int index = 0;
      for (int i = 0; i < running.length; i++) {
        if (i == partition) {
          index = state.count();
          place(state, gpu, i, new Turn(own.service(), k, own.requestsPerSecond()));
        } else if (running[i] >= 0) {
          place(state, gpu, i, gpu.partitions().get(i).turns().get(running[i]));
        }
      }
      if (state.evaluate() == GpuState.Status.VALID) {
        double busy = Milliseconds.PER_SECOND * k / state.throughputPerSecond(index);
        times.set(k, state.latencyMillis(index), busy);
      }
    }
    return times;
  }

  private DeviceProfile device(PlannedGpu gpu) {
    return Objects.requireNonNull(devices.get(gpu.device()), gpu.device());
  }

  private void place(GpuState state, PlannedGpu gpu, int partition, Turn turn) {
    WorkloadProfile profile = service(turn).profiles().get(gpu.device());
    if (profile == null) {
      throw new IllegalArgumentException(turn.service() + " is not profiled on " + gpu.device());
    }
    double share = gpu.partitions().get(partition).share().percent();
    state.placeProfiled(profile, turn.batch(), share);
  }

  private Service service(Turn turn) {
    Service service = services.get(turn.service());
    if (service == null) {
      throw new IllegalArgumentException("no workload '" + turn.service() + "' in the fleet");
    }
    return service;
  }
}

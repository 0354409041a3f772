package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.lab.untimed.Replay;
import dev.cotenant.lab.untimed.SimulationRow;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All pods of a recorded cluster in order of arrival; no pod leaves or waits: a pod that fits
 * nowhere is not placed. So the cluster fills until policies differ; with the pods' ends, at most
 * one GPU in a hundred of the published trace is ever wanted at once.
 */
public final class ClusterReplay implements Replay {
  private static final int MANY_TENANTS = 1_000;
  private static final String STAND_IN = "t4";
  private static final double MILLI = ClusterTrace.WHOLE_GPU_MILLI;
  private static final double NANOS_PER_MILLISECOND = 1e6;

  private final ClusterTrace trace;
  private final Fragmentation fragmentation;
  private final LongSupplier nanoTime;
  private final SequencedMap<String, Supplier<Packer>> packers = new LinkedHashMap<>();

  /**
   * Replays this trace.
   *
   * @param nanoTime a clock for how long each policy takes, in nanoseconds
   */
  public ClusterReplay(
      ClusterTrace trace, SharingDecider decider, DeviceCatalogue devices, LongSupplier nanoTime) {
    this.trace = trace;
    this.nanoTime = nanoTime;
    fragmentation = new Fragmentation(trace.pods());
    var device = devices.require(STAND_IN);
    packers.put("slot", Slots::new);
    packers.put("first-fit", () -> new Scored(new Scored.First()));
    packers.put("gpushare", () -> new Scored(new Scored.Tightest()));
    packers.put("best-fit", () -> new Scored(Scored::left));
    packers.put("worst-fit", () -> new Scored((node, pod, gpu) -> -Scored.left(node, pod, gpu)));
    packers.put("fgd", () -> new FragmentationDescent(fragmentation));
    packers.put("decide", () -> new DecidedPacker(decider, SharingLimits.DEFAULT, device));
    packers.put("decide tenants=any", () -> new DecidedPacker(decider, anyTenants(), device));
  }

  private static SharingLimits anyTenants() {
    return SharingLimits.DEFAULT.withTenants(MANY_TENANTS);
  }

  @Override
  public List<String> policies() {
    return List.copyOf(packers.keySet());
  }

  @Override
  public List<SimulationRow> run(Predicate<String> wanted, Consumer<String> progress) {
    List<SimulationRow> rows = new ArrayList<>();
    for (Map.Entry<String, Supplier<Packer>> entry : packers.entrySet()) {
      if (wanted.test(entry.getKey())) {
        progress.accept(entry.getKey());
        SequencedMap<String, Double> figures = replay(entry.getValue().get());
        rows.add(new SimulationRow(trace.name(), "fill", entry.getKey(), figures));
      }
    }
    return rows;
  }

  private SequencedMap<String, Double> replay(Packer packer) {
    List<NodeState> nodes = new ArrayList<>();
    for (ClusterTrace.Node node : trace.nodes()) {
      nodes.add(new NodeState(nodes.size(), node));
    }
    long started = nanoTime.getAsLong();
    long placed = 0;
    long requested = 0;
    for (ClusterTrace.Pod pod : trace.pods()) {
      ClusterTrace.Pod granted = packer.granted(pod);
      Optional<Packer.Spot> spot = packer.choose(granted, nodes);
      if (spot.isPresent()) {
        spot.get().node().take(granted, spot.get().gpus());
        placed++;
        requested += pod.totalGpuMilli();
      }
    }
    double elapsed = (nanoTime.getAsLong() - started) / NANOS_PER_MILLISECOND;
    return figures(nodes, placed, requested, elapsed);
  }

  private SequencedMap<String, Double> figures(
      List<NodeState> nodes, long placed, long requested, double elapsedMillis) {
    double gpus = nodes.stream().mapToInt(NodeState::gpus).sum();
    double free = nodes.stream().mapToLong(NodeState::gpuMilliLeft).sum();
    double useless = nodes.stream().mapToDouble(fragmentation::expectedMilli).sum();
    SequencedMap<String, Double> figures = new LinkedHashMap<>();
    figures.put("pods", (double) trace.pods().size());
    figures.put("placed", (double) placed);
    figures.put("gpus", gpus);
    figures.put("gpus_in_use", (double) nodes.stream().mapToInt(NodeState::gpusInUse).sum());
    figures.put("requested_gpus_placed", requested / MILLI);
    figures.put("free_gpus", free / MILLI);
    figures.put("fragmented_gpus", useless / MILLI);
    figures.put("fragmented_percent_of_free", free == 0 ? 0 : 100.0 * useless / free);
    figures.put("elapsed_ms", elapsedMillis);
    return figures;
  }
}

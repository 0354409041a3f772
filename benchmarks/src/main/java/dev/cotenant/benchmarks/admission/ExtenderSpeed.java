package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.extender.Extender;
import dev.cotenant.admission.extender.GatePlacement;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.gate.GateLoop;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.SupervisionListener;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The extender's verbs about one pod and 1,000 nodes with ten GPUs each: a filter that finds
 * capacity, prioritize for the same pod, and a filter that finds none, so that every node says why.
 *
 * <p>{@code java -cp … dev.cotenant.benchmarks.admission.ExtenderSpeed [nodes [rounds]]}
 */
public final class ExtenderSpeed {
  private static final String SCHEDULER = "cotenant-scheduler";

  private final Extender extender;
  private final List<String> pods;
  private final String nodes;

  /** Two pods on each GPU, so that many a third fits, or three, so that none does. */
  private ExtenderSpeed(int count, int podsPerGpu, int released) {
    LargeFleet fleet = new LargeFleet(count, released, podsPerGpu);
    ClusterSnapshot readings = fleet.readings();
    GateLoop loop =
        new GateLoop(
            ports(fleet, readings),
            GateSettings.DEFAULT,
            Supervisor.ofProcess(SupervisionListener.NONE));
    List<WatchedPod> all = new ArrayList<>(fleet.granted());
    List<WatchedPod> waiting = fleet.released(SCHEDULER);
    all.addAll(waiting);
    loop.begin(1, new GateFeed.Listed(all, fleet.nodes(), List.of()), PersistedState.NOTHING);
    while (!loop.view().isReady()) {
      Thread.onSpinWait();
    }
    extender = new Extender(new GatePlacement(new GateCalls(loop, Optional::empty)));
    pods = waiting.stream().map(WatchedPod::uid).toList();
    nodes =
        IntStream.range(0, count)
            .mapToObj(i -> '"' + LargeFleet.node(i) + '"')
            .collect(Collectors.joining(","));
  }

  private static GatePorts ports(LargeFleet fleet, ClusterSnapshot readings) {
    Policy policy =
        Policy.DEFAULT
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES)
            .with(copy -> copy.schedulerName = SCHEDULER);
    return new GatePorts(
        () -> readings,
        fleet,
        new SharingDecider(FallbackInterferenceModel.builtIn()),
        new DoneAtOnce(),
        LeaderStateSaver.NONE,
        () -> Policies.of(policy),
        _ -> true,
        _ -> Optional.empty(),
        MemoryCorrection.NONE,
        GateListener.NONE,
        InstantSource.system());
  }

  /** Arguments about the pod of this number. */
  private byte[] arguments(int number) {
    String pod =
        """
        {"metadata":{"namespace":"team-a","name":"pod","uid":"%s","annotations":
        {"cotenant.dev/model":"model","cotenant.dev/batch-size":"8"}},
        "spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}
        """
            .formatted(pods.get(number % pods.size()));
    return ("{\"Pod\":" + pod + ",\"NodeNames\":[" + nodes + "]}").getBytes(StandardCharsets.UTF_8);
  }

  private void measure(String what, UnaryOperator<byte[]> verb, int rounds, PrintStream out) {
    double[] millis = new double[rounds];
    int bytes = 0;
    for (int i = -rounds / 2; i < rounds; i++) {
      byte[] arguments = arguments(i + rounds);
      long start = System.nanoTime();
      bytes = verb.apply(arguments).length;
      if (i >= 0) {
        millis[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    Arrays.sort(millis);
    out.printf(
        Locale.ROOT,
        "%s: p50 %.2f ms, p99 %.2f ms, most %.2f ms, %d bytes%n",
        what,
        millis[rounds / 2],
        millis[rounds * 99 / 100],
        millis[rounds - 1],
        bytes);
  }

  public static void main(String[] arguments) {
    int nodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1250;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
    ExtenderSpeed speed = new ExtenderSpeed(nodes, 2, 100);
    speed.measure("filter, capacity", speed.extender::filter, rounds, System.out);
    speed.measure("prioritize", speed.extender::prioritize, rounds, System.out);
    ExtenderSpeed full = new ExtenderSpeed(nodes, 3, 100);
    full.measure("filter, no capacity", full.extender::filter, rounds, System.out);
    System.exit(0); // the loops go on
  }
}

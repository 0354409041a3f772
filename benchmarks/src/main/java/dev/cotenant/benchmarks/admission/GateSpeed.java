package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * 10,000 GPUs with 30,000 granted pods, 20,000 without GPU and 1,000 that wait, every one with
 * another batch: the beginning of a term until the controller is ready, and passes after one pod
 * has gone, which let one of those that wait go; then samples of every granted pod for the guard.
 *
 * <p>{@code java -cp … dev.cotenant.benchmarks.admission.GateSpeed [nodes [held [passes]]]}; heap
 * is what is in use after a collection, so give it {@code -Xmx512m} to see that this suffices.
 */
public final class GateSpeed extends DoneAtOnce {
  private final Queue<Runnable> inbox = new ArrayDeque<>();
  private final List<WatchedPod> changed = new ArrayList<>();
  private final GateController controller;
  private final LargeFleet fleet;
  private int ungate;

  /** Time of the guard's samples; null for the machine's time. */
  private @Nullable Instant now;

  private long ungatedAt;

  private GateSpeed(LargeFleet fleet) {
    this.fleet = fleet;
    ClusterSnapshot[] readings = {fleet.readings()};
    Policy policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
    controller =
        new GateController(
            new GatePorts(
                () -> readings[0],
                fleet,
                new SharingDecider(FallbackInterferenceModel.builtIn()),
                this,
                LeaderStateSaver.NONE,
                () -> Policies.of(policy),
                _ -> true,
                _ -> Optional.empty(),
                MemoryCorrection.NONE,
                GateListener.NONE,
                () -> now == null ? Instant.now() : now),
            GateSettings.DEFAULT,
            inbox::add);
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    boolean lets = patch.operations().stream().anyMatch(JsonPatch.Remove.class::isInstance);
    ungate += lets ? 1 : 0;
    ungatedAt = lets ? System.nanoTime() : ungatedAt;
    changed.add(fleet.patched(pod, patch));
    done.accept(new WriteResult.Done());
  }

  private void hear(long term) {
    while (!inbox.isEmpty()) {
      inbox.remove().run();
    }
    List.copyOf(changed).forEach(pod -> controller.podSeen(term, pod));
    changed.clear();
  }

  /** Milliseconds until the view is ready. */
  private double begin(List<WatchedPod> pods, List<WatchedNode> nodes) {
    long start = System.nanoTime();
    controller.begin(1, new GateFeed.Listed(pods, nodes, fleet.others()), PersistedState.NOTHING);
    while (!controller.view().isReady()) {
      controller.runCycle();
      hear(1);
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** Milliseconds from the end of a pod until another is ungated, and until the cycle ends. */
  private record Times(double ungate, double all) {}

  private Times release(WatchedPod pod) {
    long start = System.nanoTime();
    controller.podGone(1, pod.uid());
    controller.runCycle();
    Times times = new Times((ungatedAt - start) / 1e6, (System.nanoTime() - start) / 1e6);
    hear(1);
    return times;
  }

  private static void run(LargeFleet fleet, int cycles, PrintStream out) {
    GateSpeed speed = new GateSpeed(fleet);
    List<WatchedPod> granted = fleet.granted();
    List<WatchedPod> all = new ArrayList<>(granted);
    all.addAll(fleet.held());
    List<WatchedNode> nodes = fleet.nodes();
    double ready = speed.begin(all, nodes);
    GateView view = speed.controller.view();
    out.printf(
        Locale.ROOT,
        "ready after %.0f ms with %d GPUs, %d granted, %d held%n",
        ready,
        view.cluster().gpus().size(),
        view.granted().size(),
        view.queue().size());
    for (int i = 0; i < 40; i++) {
      speed.controller.runCycle(); // writes the first status report of every queued pod
      speed.hear(1);
    }
    List<Times> times = new ArrayList<>();
    int before = speed.ungate;
    for (int i = 0; i < cycles; i++) {
      times.add(speed.release(granted.get(i * 31 % granted.size())));
    }
    out.printf(Locale.ROOT, "%d were ungated in %d cycles%n", speed.ungate - before, cycles);
    print("ungated after", times.stream().mapToDouble(Times::ungate).sorted().toArray(), out);
    print("whole cycle", times.stream().mapToDouble(Times::all).sorted().toArray(), out);
    speed.guard(granted, out);
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    out.printf(
        Locale.ROOT,
        "heap in use %d MiB with %d granted%n",
        (runtime.totalMemory() - runtime.freeMemory()) >> 20,
        speed.controller.view().granted().size());
  }

  /** One event with a sample of every granted pod, all of them slow, for six minutes. */
  private void guard(List<WatchedPod> granted, PrintStream out) {
    Instant start = Instant.now();
    double[] millis = new double[7];
    for (int minute = 0; minute < millis.length; minute++) {
      Instant at = start.minus(GuardRules.DEFAULT.time()).plusSeconds(60L * minute);
      now = at;
      List<Sample> samples =
          granted.stream()
              .map(pod -> new Sample(pod.uid(), Signal.SLOWDOWN, 2, 1.15, 0.05, at))
              .toList();
      long before = System.nanoTime();
      controller.measured(samples);
      millis[minute] = (System.nanoTime() - before) / 1e6;
      controller.runCycle();
      hear(1);
    }
    print("samples of " + granted.size() + " pods counted after", sorted(millis), out);
  }

  private static double[] sorted(double[] values) {
    Arrays.sort(values);
    return values;
  }

  private static void print(String what, double[] sorted, PrintStream out) {
    out.printf(
        Locale.ROOT,
        "%s: p50 %.2f ms, p99 %.2f ms, most %.2f ms%n",
        what,
        sorted[sorted.length / 2],
        sorted[sorted.length * 99 / 100],
        sorted[sorted.length - 1]);
  }

  public static void main(String[] arguments) {
    int nodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1250;
    int held = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1000;
    int cycles = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 500;
    run(new LargeFleet(nodes, held), cycles, System.out);
  }
}

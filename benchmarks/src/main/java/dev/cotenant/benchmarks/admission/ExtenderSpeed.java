package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.extender.Extender;
import dev.cotenant.admission.extender.LedgerPlacement;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Locale;
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
  private static final int GPUS_PER_NODE = 10;

  private final Extender extender;
  private final String nodes;

  private ExtenderSpeed(int count) {
    LargeFleet fleet = new LargeFleet(count * GPUS_PER_NODE / LargeFleet.GPUS_PER_NODE, 0);
    ClusterSnapshot cluster = fleet.readings(GPUS_PER_NODE);
    Ledger ledger = new Ledger(InstantSource.system(), Duration.ofMinutes(2));
    PodDecisions decisions =
        new PodDecisions(
            new DecisionPorts(
                () -> cluster,
                fleet,
                new SharingDecider(FallbackInterferenceModel.builtIn()),
                InstantSource.system()),
            SharingLimits.DEFAULT,
            ledger);
    extender =
        new Extender(
            new LedgerPlacement(decisions, new LocalCapacityLedger(() -> cluster, ledger)));
    nodes =
        IntStream.range(0, count)
            .mapToObj(i -> '"' + LargeFleet.node(i) + '"')
            .collect(Collectors.joining(","));
  }

  /** Arguments about a pod with this batch; 1 fits, a million never does. */
  private byte[] arguments(int number, int batch) {
    String pod =
        """
        {"metadata":{"namespace":"team-a","name":"pod-%d","uid":"uid-%d","annotations":
        {"cotenant.dev/model":"model","cotenant.dev/batch-size":"%d"}},
        "spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}
        """
            .formatted(number, number, batch);
    return ("{\"Pod\":" + pod + ",\"NodeNames\":[" + nodes + "]}").getBytes(StandardCharsets.UTF_8);
  }

  private void measure(
      String what, UnaryOperator<byte[]> verb, int batch, int rounds, PrintStream out) {
    double[] millis = new double[rounds];
    int bytes = 0;
    for (int i = -rounds / 2; i < rounds; i++) {
      byte[] arguments = arguments(i + rounds, batch);
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
    int nodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
    ExtenderSpeed speed = new ExtenderSpeed(nodes);
    speed.measure("filter, capacity", speed.extender::filter, 1, rounds, System.out);
    speed.measure("prioritize", speed.extender::prioritize, 1, rounds, System.out);
    speed.measure("filter, no capacity", speed.extender::filter, 1_000_000, rounds, System.out);
  }
}

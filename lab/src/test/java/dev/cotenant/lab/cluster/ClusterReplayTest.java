package dev.cotenant.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.cluster.AlibabaPodsSource;
import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.lab.untimed.SimulationRow;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClusterReplayTest {
  private static ClusterTrace.Node node(String name, int gpus) {
    return new ClusterTrace.Node(name, 8_000, MemorySize.ofGiB(64), gpus, "G2");
  }

  private static ClusterTrace.Pod pod(String name, int gpus, int milli) {
    return new ClusterTrace.Pod(name, 1_000, MemorySize.ofGiB(1), gpus, milli, List.of(), 0);
  }

  private static ClusterTrace trace(List<ClusterTrace.Node> nodes, List<ClusterTrace.Pod> pods) {
    return new ClusterTrace("test", nodes, pods, List.of());
  }

  private static ClusterReplay replay(ClusterTrace trace) {
    return new ClusterReplay(
        trace,
        new SharingDecider(FallbackInterferenceModel.builtIn()),
        DeviceCatalogue.builtIn(),
        () -> 0);
  }

  private static Map<String, Map<String, Double>> run(ClusterTrace trace) {
    Map<String, Map<String, Double>> figures = new HashMap<>();
    for (SimulationRow row : replay(trace).run(_ -> true, _ -> {})) {
      figures.put(row.policy(), row.figures());
    }
    return figures;
  }

  /*
   * One node of two GPUs; pods of 600, 300, 500 and 400 thousandths.
   * First and tightest: 600 and 300 on GPU 0, 500 and 400 on GPU 1: 2 in use, all placed.
   * Worst: 600 | 300, then 500 on the emptier GPU 1 (700 left): 600 | 800, then 400 on GPU 0.
   * Slot: two pods have both GPUs, two go nowhere; 900 of 2000 are asked for.
   */
  @Test
  void placesPodsAsEachPolicySays() {
    Map<String, Map<String, Double>> figures =
        run(
            trace(
                List.of(node("n", 2)),
                List.of(pod("a", 1, 600), pod("b", 1, 300), pod("c", 1, 500), pod("d", 1, 400))));

    assertThat(figures.get("first-fit")).containsEntry("placed", 4.0);
    assertThat(figures.get("worst-fit")).containsEntry("placed", 4.0);
    assertThat(figures.get("decide")).containsEntry("placed", 4.0);
    assertThat(figures.get("slot"))
        .containsEntry("placed", 2.0)
        .containsEntry("requested_gpus_placed", 0.9)
        .containsEntry("gpus_in_use", 2.0);
  }

  /*
   * Half of the pods want 700 thousandths, half a whole GPU. A GPU with 1000 left is useless to
   * nobody; with 700 left it is useless to the second half (350 expected), with 300 to both (300).
   * So a pod of 700 makes of an empty GPU 300 useless; and the node that it starts is 1000 + 300
   * free, of which 300 are useless.
   */
  @Test
  void expectsWhatIsUselessToThePodsOfTheWorkload() {
    List<ClusterTrace.Pod> pods = List.of(pod("a", 1, 700), pod("b", 1, 1000));
    Fragmentation fragmentation = new Fragmentation(pods);
    NodeState node = new NodeState(0, node("n", 2));

    assertThat(fragmentation.expectedMilli(node)).isZero();
    node.take(pod("c", 1, 300), List.of(0));
    assertThat(fragmentation.expectedMilli(node)).isCloseTo(350, within(1e-9));
    node.take(pod("d", 1, 400), List.of(0));
    assertThat(fragmentation.expectedMilli(node)).isCloseTo(300, within(1e-9));
  }

  /**
   * A pod without GPUs finds all of them useless, and so does one for which the host is too full.
   */
  @Test
  void countsAllThatIsFreeWhereAPodCannotUseIt() {
    NodeState node = new NodeState(0, node("n", 2));

    assertThat(new Fragmentation(List.of(pod("cpu", 0, 0))).expectedMilli(node)).isEqualTo(2000);
    ClusterTrace.Pod large =
        new ClusterTrace.Pod("large", 9_000, MemorySize.ZERO, 1, 1, List.of(), 0);
    assertThat(new Fragmentation(List.of(large)).expectedMilli(node)).isEqualTo(2000);
  }

  /*
   * A pod of 300 on one of two nodes of one GPU, one of them with 300 left; the workload is pods of
   * 300 and of a whole GPU: on the empty GPU it would make 700 useless to half of them, on the
   * other nothing is left. First fit takes the empty one, which comes first.
   */
  @Test
  void descendsFragmentation() {
    List<ClusterTrace.Pod> workload = List.of(pod("a", 1, 300), pod("b", 1, 1000));
    List<NodeState> nodes =
        List.of(new NodeState(0, node("n0", 1)), new NodeState(1, node("n1", 1)));
    nodes.get(1).take(pod("x", 1, 700), List.of(0));

    Packer descent = new FragmentationDescent(new Fragmentation(workload));
    assertThat(descent.choose(workload.getFirst(), nodes).orElseThrow().node().name())
        .isEqualTo("n1");
    assertThat(
            new Scored(new Scored.First())
                .choose(workload.getFirst(), nodes)
                .orElseThrow()
                .node()
                .name())
        .isEqualTo("n0");
  }

  @Test
  void neverGivesMoreThanThereIsAndRepeatsItself() {
    for (int seed = 0; seed < 20; seed++) {
      ClusterTrace trace = random(new Random(seed));
      List<SimulationRow> rows = replay(trace).run(_ -> true, _ -> {});

      assertThat(rows).isEqualTo(replay(trace).run(_ -> true, _ -> {}));
      for (SimulationRow row : rows) {
        Map<String, Double> figures = row.figures();
        double gpus = figures.getOrDefault("gpus", 0.0);
        assertThat(figures.get("free_gpus")).as(row.policy()).isBetween(0.0, gpus);
        assertThat(figures.get("requested_gpus_placed"))
            .as(row.policy())
            .isLessThanOrEqualTo(gpus - figures.getOrDefault("free_gpus", 0.0) + 1e-9);
        assertThat(figures.get("fragmented_gpus"))
            .as(row.policy())
            .isLessThanOrEqualTo(figures.getOrDefault("free_gpus", 0.0) + 1e-9);
      }
    }
  }

  /** The cache of what a pod would change must not be seen. */
  @Test
  void descendsAsIfEveryNodeWereLookedAtAnew() {
    ClusterTrace trace = random(new Random(5));
    Fragmentation fragmentation = new Fragmentation(trace.pods());
    FragmentationDescent kept = new FragmentationDescent(fragmentation);
    List<NodeState> nodes = new ArrayList<>();
    trace.nodes().forEach(node -> nodes.add(new NodeState(nodes.size(), node)));
    for (ClusterTrace.Pod pod : trace.pods()) {
      var spot = kept.choose(pod, nodes);
      var anew = new FragmentationDescent(fragmentation).choose(pod, nodes);
      assertThat(spot).isEqualTo(anew);
      spot.ifPresent(found -> found.node().take(pod, found.gpus()));
    }
  }

  private static ClusterTrace random(Random random) {
    List<ClusterTrace.Node> nodes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      nodes.add(node("n" + i, random.nextInt(5)));
    }
    List<ClusterTrace.Pod> pods = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      int gpus = random.nextInt(6) == 0 ? 0 : random.nextInt(5) == 0 ? 2 : 1;
      int milli = gpus == 0 ? 0 : gpus == 2 ? 1000 : 100 * random.nextInt(1, 11);
      pods.add(pod("p" + i, gpus, milli));
    }
    return trace(nodes, pods);
  }

  @Test
  void placesMoreByDescentThanByWorstFitOnThePublishedTrace() {
    ClusterTrace trace =
        new AlibabaPodsSource(OutsideData.require("data/alibaba/gpu-v2023")).read();
    Map<String, Double> placed = new HashMap<>();
    replay(trace)
        .run(List.of("fgd", "worst-fit", "slot")::contains, _ -> {})
        .forEach(row ->
            placed.put(row.policy(), row.figures().getOrDefault("requested_gpus_placed", 0.0)));

    assertThat(placed.get("fgd")).isGreaterThan(placed.getOrDefault("worst-fit", 1e9));
    assertThat(placed.get("worst-fit")).isGreaterThan(placed.getOrDefault("slot", 1e9));
  }
}

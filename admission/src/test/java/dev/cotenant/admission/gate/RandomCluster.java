package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.LabelSelector;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.domain.device.DeviceCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of one to eight GPUs of three products in three zones, some short of cores, and pods with
 * priorities, anti-affinity, spread, selectors and several GPUs; by the seed alone.
 */
final class RandomCluster {
  static final String ZONE = "topology.kubernetes.io/zone";
  private static final List<String> PRODUCTS = List.of("a100-40gb", "v100-32gb", "t4");
  private static final List<@Nullable String> MODELS =
      List.of("resnet50", "resnet50", "vgg19", "densenet121", "densenet121", "unheard-of");

  final List<FakeGpus.Node> nodes;
  private final Random random;
  private int drawn;

  RandomCluster(int seed) {
    random = new Random(seed);
    List<FakeGpus.Node> all = new ArrayList<>();
    int count = 3 + random.nextInt(8);
    for (int n = 0; n < count; n++) {
      all.add(node(n));
    }
    nodes = List.copyOf(all);
  }

  private FakeGpus.Node node(int number) {
    int gpus = 1 + random.nextInt(8);
    List<String> uuids = new ArrayList<>();
    for (int g = 0; g < gpus; g++) {
      uuids.add("GPU-" + number + (char) ('a' + g));
    }
    long coresByGpu = random.nextInt(3) == 0 ? 1 : 8;
    return new FakeGpus.Node(
        "n" + number,
        DeviceCatalogue.builtIn().require(pick(PRODUCTS)),
        uuids,
        Map.of(ZONE, "z" + number % 3),
        ResourceAmounts.of(
            Map.of(ResourceAmounts.CPU, 1_000 * coresByGpu * gpus, ResourceAmounts.PODS, 110L)));
  }

  /** The next pod, as its user creates it and without a gate. */
  StoredPod pod(GateBench bench) {
    int gpus = random.nextInt(12) == 0 ? 2 + random.nextInt(3) : 1;
    String model = gpus > 1 ? null : pick(MODELS);
    StoredPod pod = bench.pod("pod-" + drawn++, model, 1 + random.nextInt(128), gpus);
    String app = "app-" + random.nextInt(6);
    pod.priority = random.nextInt(3) * 100;
    pod.footprint =
        new Footprint(
            ResourceAmounts.of(Map.of(ResourceAmounts.CPU, 250L * (1 + random.nextInt(6)))),
            List.of(),
            Map.of("app", app),
            topology(app),
            Set.of());
    if (random.nextInt(8) == 0) {
      pod.requirements =
          new NodeRequirements(Map.of(ZONE, "z" + random.nextInt(3)), List.of(), List.of());
    }
    return pod;
  }

  private PodTopology topology(String app) {
    PodSelector same =
        new PodSelector(
            Set.of("team-a"),
            new LabelSelector(List.of(new Expression("app", Operator.IN, Set.of(app)))));
    return switch (random.nextInt(8)) {
      case 0 ->
          new PodTopology(
              List.of(), List.of(new Term(same, WatchedNode.HOSTNAME_LABEL)), List.of());
      case 1 ->
          new PodTopology(List.of(), List.of(), List.of(new SpreadConstraint(same, ZONE, 2, 1)));
      default -> PodTopology.NONE;
    };
  }

  private <T extends @Nullable Object> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}

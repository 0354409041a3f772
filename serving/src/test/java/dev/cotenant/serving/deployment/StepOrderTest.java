package dev.cotenant.serving.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.FleetTarget.Gpu;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StepOrderTest {
  private static final int RUNS = Integer.getInteger("cotenant.fleet.runs", 300);
  private static final List<String> SERVICES = List.of("a", "b", "c", "d");

  private record Runs(String gpu, String service, Share share, int batch) {}

  private static Replica replica(String id, String service, double percent) {
    return new Replica(id, service, Share.ofPercent(percent), 4, 100);
  }

  private static FleetTarget target(Map<String, List<Replica>> gpus) {
    TreeMap<String, Gpu> all = new TreeMap<>();
    gpus.forEach((name, replicas) -> all.put(name, new Gpu("v", replicas)));
    return new FleetTarget(all, 9);
  }

  private static Map<String, Integer> counts(Iterable<Runs> processes) {
    Map<String, Integer> counts = new HashMap<>();
    processes.forEach(each -> counts.merge(each.service(), 1, Integer::sum));
    return counts;
  }

  private static Map<String, Runs> processes(FleetTarget of) {
    Map<String, Runs> all = new HashMap<>();
    of.replicas()
        .forEach((id, each) -> {
          Replica replica = each.replica();
          all.put(id, new Runs(each.gpu(), replica.service(), replica.share(), replica.batch()));
        });
    return all;
  }

  /** Takes the steps, and checks after each what must hold at every instant; what runs then. */
  private static List<Runs> after(FleetTarget from, FleetTarget target, List<Step> steps) {
    Map<String, Runs> running = processes(from);
    Map<String, Integer> least = counts(running.values());
    Map<String, Integer> wanted = counts(processes(target).values());
    least.replaceAll((service, count) -> Math.min(count, wanted.getOrDefault(service, 0)));
    for (Step step : steps) {
      switch (step) {
        case Step.Start start ->
            running.put(
                start.id(), new Runs(start.gpu(), start.service(), start.share(), start.batch()));
        case Step.Set set ->
            running.computeIfPresent(
                set.id(),
                (_, each) -> new Runs(each.gpu(), each.service(), set.share(), set.batch()));
        case Step.Stop stop -> running.remove(stop.id());
      }
      Map<String, Integer> shares = new HashMap<>();
      running.values().forEach(e -> shares.merge(e.gpu(), e.share().permille(), Integer::sum));
      assertThat(shares.values()).allMatch(permille -> permille <= 1000);
      Map<String, Integer> now = counts(running.values());
      least.forEach((service, count) ->
          assertThat(now.getOrDefault(service, 0)).isGreaterThanOrEqualTo(count));
    }
    return List.copyOf(running.values());
  }

  private static List<Step> reach(FleetTarget from, FleetTarget target) {
    List<Step> steps = StepOrder.of(from, target);
    assertThat(after(from, target, steps))
        .containsExactlyInAnyOrderElementsOf(processes(target).values());
    return steps;
  }

  @Test
  void startsWhatIsWanted() {
    FleetTarget target = target(Map.of("v-0", List.of(replica("a", "a", 50))));

    assertThat(reach(FleetTarget.NONE, target)).hasSize(1);
    assertThat(reach(target, target)).isEmpty();
  }

  @Test
  void endsTheOldPartitionWhenTheNewOneServes() {
    assertThat(
            reach(
                target(Map.of("v-0", List.of(replica("a", "a", 50)))),
                target(Map.of("v-1", List.of(replica("b", "a", 60))))))
        .containsExactly(
            new Step.Start("a.1", "v-1", "a", Share.ofPercent(60), 4), new Step.Stop("a"));
  }

  @Test
  void shrinksBeforeAnotherGrows() {
    assertThat(
            reach(
                target(Map.of("v-0", List.of(replica("a", "a", 60), replica("b", "b", 40)))),
                target(Map.of("v-0", List.of(replica("a", "a", 30), replica("b", "b", 70))))))
        .extracting(Step::id)
        .containsExactly("a", "b");
  }

  @Test
  void exchangesTwoThatFillTheirGpusThroughAStandIn() {
    Replica other = replica("e", "e", 1);
    Map<String, List<Replica>> one =
        Map.of(
            "v-0", List.of(replica("a", "a", 90)),
            "v-1", List.of(replica("b", "b", 90)),
            "v-2", List.of(other));
    Map<String, List<Replica>> exchanged =
        Map.of(
            "v-0", List.of(replica("d", "b", 90)),
            "v-1", List.of(replica("c", "a", 90)),
            "v-2", List.of(other));

    assertThat(reach(target(one), target(exchanged))).hasSize(6);
  }

  @Test
  void exchangesNothingWithoutAGpuToStandInOn() {
    assertThat(
            StepOrder.of(
                target(
                    Map.of(
                        "v-0", List.of(replica("a", "a", 100)),
                        "v-1", List.of(replica("b", "b", 100)))),
                target(
                    Map.of(
                        "v-0", List.of(replica("d", "b", 100)),
                        "v-1", List.of(replica("c", "a", 100))))))
        .isEmpty();
  }

  private static FleetTarget any(SplittableRandom random) {
    TreeMap<String, Gpu> gpus = new TreeMap<>();
    int most = 1 + random.nextInt(4);
    for (int i = 0; i < most; i++) {
      int free = 40;
      List<Replica> replicas = new ArrayList<>();
      while (free > 0 && random.nextInt(5) > 0) {
        int share = random.nextBoolean() ? free : 1 + random.nextInt(free);
        free -= share;
        String service = SERVICES.get(random.nextInt(SERVICES.size()));
        String id = service + i + replicas.size(); // of one GPU, as partitions do not move
        replicas.add(
            new Replica(id, service, Share.ofPercent(2.5 * share), 1 + random.nextInt(3), 5));
      }
      gpus.put("v-" + i, new Gpu(i == 3 ? "w" : "v", replicas));
    }
    return new FleetTarget(gpus, 9);
  }

  @Test
  void keepsSharesAndServicesAtEveryStepBetweenAnyDeployments() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < RUNS; i++) {
      FleetTarget from = any(random);
      FleetTarget target = any(random);
      after(from, target, StepOrder.of(from, target));
    }
  }
}

package dev.cotenant.serving.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.FleetTarget.Gpu;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import dev.cotenant.serving.deployment.Reconciler.Next;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReconcilerTest {
  private static final Map<String, String> SPARE = Map.of("v-9", "v");

  private final FakeExecutor executor = new FakeExecutor();
  private Journal journal = Journal.EMPTY;

  private static Replica replica(String id, String service, double percent) {
    return new Replica(id, service, Share.ofPercent(percent), 4, 100);
  }

  private static FleetTarget target(Map<String, List<Replica>> gpus) {
    TreeMap<String, Gpu> all = new TreeMap<>();
    gpus.forEach((name, replicas) -> all.put(name, new Gpu("v", replicas)));
    return new FleetTarget(all, 9);
  }

  private List<Step> round(FleetTarget target, Map<String, String> spare) {
    Next next = Reconciler.next(journal, target, executor.seen(), spare);
    journal = next.journal();
    next.steps().forEach(executor::take);
    executor.makeReady(new SplittableRandom(1), 1);
    if (next.isDone()) {
      executor.reached(target);
    }
    return next.steps();
  }

  private List<Step> reach(FleetTarget target) {
    return reach(target, SPARE);
  }

  private List<Step> reach(FleetTarget target, Map<String, String> spare) {
    executor.expect(target);
    List<Step> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.addAll(round(target, spare));
    }
    return all;
  }

  @Test
  void startsWhatIsWanted() {
    FleetTarget target = target(Map.of("v-0", List.of(replica("a", "a", 50))));

    reach(target);

    assertThat(executor.running()).isEqualTo(FakeExecutor.of(target));
  }

  @Test
  void endsTheOldPartitionWhenTheNewOneServes() {
    reach(target(Map.of("v-0", List.of(replica("a", "a", 50)))));

    List<Step> steps = reach(target(Map.of("v-1", List.of(replica("b", "a", 60)))));

    assertThat(steps.getFirst()).isInstanceOf(Step.Start.class);
    assertThat(steps.getLast()).isInstanceOf(Step.Stop.class);
    assertThat(executor.running()).containsExactly("v-1 a 60.0 % 4");
  }

  @Test
  void shrinksBeforeAnotherGrows() {
    reach(target(Map.of("v-0", List.of(replica("a", "a", 60), replica("b", "b", 40)))));

    List<Step> steps =
        reach(target(Map.of("v-0", List.of(replica("a", "a", 30), replica("b", "b", 70)))));

    assertThat(steps).extracting(Step::id).startsWith("a.1");
    assertThat(executor.running()).containsExactly("v-0 a 30.0 % 4", "v-0 b 70.0 % 4");
  }

  @Test
  void exchangesTwoThatFillTheirGpusThroughAStandIn() {
    reach(
        target(
            Map.of(
                "v-0", List.of(replica("a", "a", 100)), "v-1", List.of(replica("b", "b", 100)))));
    FleetTarget exchanged =
        target(
            Map.of("v-0", List.of(replica("d", "b", 100)), "v-1", List.of(replica("c", "a", 100))));

    reach(exchanged);

    assertThat(executor.running()).isEqualTo(FakeExecutor.of(exchanged));
  }

  @Test
  void exchangesNothingWithoutAGpuToStandInOn() {
    reach(
        target(
            Map.of(
                "v-0", List.of(replica("a", "a", 100)), "v-1", List.of(replica("b", "b", 100)))));

    List<Step> steps =
        reach(
            target(
                Map.of(
                    "v-0",
                    List.of(replica("d", "b", 100)),
                    "v-1",
                    List.of(replica("c", "a", 100)))),
            Map.of());

    assertThat(steps).isEmpty();
  }

  @Test
  void startsADeadPartitionAgain() {
    FleetTarget target = target(Map.of("v-0", List.of(replica("a", "a", 50))));
    reach(target);
    executor.kill(new SplittableRandom(1));

    reach(target);

    assertThat(executor.running()).isEqualTo(FakeExecutor.of(target));
  }

  @Test
  void repeatsNoStepOnceItIsSeen() {
    FleetTarget target = target(Map.of("v-0", List.of(replica("a", "a", 50))));
    reach(target);

    assertThat(round(target, SPARE)).isEmpty();
  }

  @Test
  void takesOverWhatRuns() {
    FleetTarget running = target(Map.of("v-0", List.of(replica("a", "a", 50))));

    assertThat(Journal.of(running).entries()).containsOnlyKeys("a");
  }
}

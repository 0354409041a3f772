package dev.cotenant.serving.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.Seen.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Processes on GPUs; checks after each step what must hold at every instant. */
final class FakeExecutor {
  private final SortedMap<String, Running> processes = new TreeMap<>();
  private final Map<String, Integer> guaranteed = new HashMap<>();
  private final Set<String> vanished = new HashSet<>();
  private long sequence;

  private record Running(
      String gpu, String service, Share share, int batch, long generation, Phase phase) {
    Running in(Phase other) {
      return new Running(gpu, service, share, batch, generation, other);
    }
  }

  void take(Step step) {
    vanished.remove(step.id());
    switch (step) {
      case Step.Start start -> start(start);
      case Step.Set set -> set(set);
      case Step.Stop stop -> {
        Running known = processes.get(stop.id());
        processes.put(
            stop.id(),
            known == null
                ? new Running("", "", Share.STEP, 1, 0, Phase.ENDED)
                : known.in(Phase.ENDED));
      }
    }
    check(step);
  }

  private void start(Step.Start start) {
    Running known = processes.get(start.id());
    Phase phase = known == null ? Phase.STARTING : known.phase();
    long generation = known == null ? 0 : known.generation();
    if (phase != Phase.ENDED && generation < start.generation()) {
      processes.put(
          start.id(),
          new Running(
              start.gpu(),
              start.service(),
              start.share(),
              start.batch(),
              start.generation(),
              phase));
    }
  }

  private void set(Step.Set set) {
    Running known = processes.get(set.id());
    if (known != null && known.phase() != Phase.ENDED && known.generation() < set.generation()) {
      processes.put(
          set.id(),
          new Running(
              known.gpu(),
              known.service(),
              set.share(),
              set.batch(),
              set.generation(),
              known.phase()));
    }
  }

  private void check(Object what) {
    SortedMap<String, Integer> shares = new TreeMap<>();
    processes.values().stream()
        .filter(each -> each.phase() != Phase.ENDED)
        .forEach(each -> shares.merge(each.gpu(), each.share().permille(), Integer::sum));
    shares.forEach((gpu, permille) ->
        assertThat(permille).as("%s after %s", gpu, what).isLessThanOrEqualTo(1000));
    guaranteed.forEach((service, least) ->
        assertThat(ready(service)).as("%s after %s", service, what).isGreaterThanOrEqualTo(least));
  }

  int ready(String service) {
    return (int)
        processes.values().stream()
            .filter(each -> each.phase() == Phase.READY && each.service().equals(service))
            .count();
  }

  /** Some of those that start become ready. */
  void makeReady(SplittableRandom random, double share) {
    processes.replaceAll((_, each) ->
        each.phase() == Phase.STARTING && random.nextDouble() < share
            ? each.in(Phase.READY)
            : each);
  }

  /** One process vanishes, which is not seen as an end: its service may have fewer from now on. */
  void kill(SplittableRandom random) {
    List<String> alive = new ArrayList<>();
    processes.forEach((id, each) -> {
      if (each.phase() != Phase.ENDED) {
        alive.add(id);
      }
    });
    if (!alive.isEmpty()) {
      String id = alive.get(random.nextInt(alive.size()));
      Running dead = Objects.requireNonNull(processes.remove(id));
      processes.put(id, dead.in(Phase.ENDED));
      vanished.add(id);
      guaranteed.computeIfPresent(
          dead.service(), (service, least) -> Math.min(least, ready(service)));
    }
  }

  /** No service may have fewer ready than both it was guaranteed and is to have. */
  void expect(FleetTarget target) {
    Map<String, Integer> counts = counts(target);
    guaranteed.replaceAll((service, least) -> Math.min(least, counts.getOrDefault(service, 0)));
  }

  /** All that the target has is there from now on. */
  void reached(FleetTarget target) {
    guaranteed.clear();
    guaranteed.putAll(counts(target));
    check("reaching the target");
  }

  private static Map<String, Integer> counts(FleetTarget target) {
    Map<String, Integer> counts = new HashMap<>();
    target
        .replicas()
        .values()
        .forEach(each -> counts.merge(each.replica().service(), 1, Integer::sum));
    return counts;
  }

  Seen seen() {
    SortedMap<String, Seen.Running> all = new TreeMap<>();
    processes.forEach((id, each) -> {
      if (!vanished.contains(id)) {
        all.put(id, new Seen.Running(each.gpu(), each.share(), each.generation(), each.phase()));
      }
    });
    return new Seen(sequence++, all);
  }

  /** What runs, sorted, without ids. */
  List<String> running() {
    return processes.values().stream()
        .filter(each -> each.phase() != Phase.ENDED)
        .map(each -> each.gpu() + " " + each.service() + " " + each.share() + " " + each.batch())
        .sorted()
        .toList();
  }

  static List<String> of(FleetTarget target) {
    return target.replicas().values().stream()
        .map(each ->
            each.gpu()
                + " "
                + each.replica().service()
                + " "
                + each.replica().share()
                + " "
                + each.replica().batch())
        .sorted()
        .toList();
  }
}

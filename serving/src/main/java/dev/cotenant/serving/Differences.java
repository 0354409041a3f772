package dev.cotenant.serving;

import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.deployment.FleetTarget.Placed;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** What changes from one target to the next. */
final class Differences {
  private static final Comparator<Change> ORDER =
      Comparator.comparingInt(Change::rank)
          .thenComparing(Change::service)
          .thenComparing(Change::gpu);

  private final FleetTarget before;
  private final FleetTarget after;
  private final Function<String, Cause> causes;
  private final List<Change> changes = new ArrayList<>();

  private Differences(FleetTarget before, FleetTarget after, Function<String, Cause> causes) {
    this.before = before;
    this.after = after;
    this.causes = causes;
  }

  /**
   * The changes, the cheapest first.
   *
   * @param causes by service
   */
  static List<Change> of(FleetTarget before, FleetTarget after, Function<String, Cause> causes) {
    Differences differences = new Differences(before, after, causes);
    differences.find();
    differences.changes.sort(ORDER);
    return differences.changes;
  }

  private void find() {
    SortedMap<String, Placed> had = new TreeMap<>(before.replicas());
    SortedMap<String, Deque<Placed>> started = new TreeMap<>();
    after
        .replicas()
        .forEach((id, placed) -> {
          Placed same = had.remove(id);
          if (same == null) {
            started
                .computeIfAbsent(placed.replica().service(), _ -> new ArrayDeque<>())
                .add(placed);
          } else {
            stays(same.replica(), placed);
          }
        });
    had.values().forEach(stopped -> ends(stopped, started));
    started.values().forEach(rest -> rest.forEach(this::starts));
  }

  private void stays(Replica had, Placed placed) {
    Cause cause = causes.apply(had.service());
    if (!had.share().equals(placed.replica().share())) {
      changes.add(new Change.NewShare(placed.gpu(), had, placed.replica(), cause));
    } else if (had.batch() != placed.replica().batch()) {
      changes.add(new Change.NewBatch(placed.gpu(), had, placed.replica(), cause));
    }
  }

  private void ends(Placed stopped, SortedMap<String, Deque<Placed>> started) {
    String service = stopped.replica().service();
    Cause cause = causes.apply(service);
    Deque<Placed> others = started.getOrDefault(service, new ArrayDeque<>());
    Placed other = others.pollFirst();
    if (other == null) {
      boolean givesBack = !after.gpus().containsKey(stopped.gpu());
      changes.add(new Change.Stop(stopped.gpu(), givesBack, stopped.replica(), cause));
    } else {
      changes.add(
          new Change.Move(other.gpu(), stopped.gpu(), opens(other.gpu()), other.replica(), cause));
    }
  }

  private void starts(Placed placed) {
    Cause cause = causes.apply(placed.replica().service());
    changes.add(new Change.Start(placed.gpu(), opens(placed.gpu()), placed.replica(), cause));
  }

  private boolean opens(String gpu) {
    return !before.gpus().containsKey(gpu);
  }
}

package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * A gpu-let.
 *
 * @param size its share
 * @param assignments turns in it; empty while it is free
 */
record Gpulet(Size size, List<Assignment> assignments) {
  Gpulet {
    assignments = List.copyOf(assignments);
  }

  static Gpulet free(Size size) {
    return new Gpulet(size, List.of());
  }

  boolean isFree() {
    return assignments.isEmpty();
  }

  boolean assignments(Tenant tenant) {
    return assignments.stream().anyMatch(assignment -> assignment.tenant() == tenant);
  }

  Gpulet with(Assignment more) {
    List<Assignment> all = new ArrayList<>(assignments);
    all.add(more);
    return new Gpulet(size, all);
  }

  /** Least share of its time that its rates need, without neighbours. */
  double load() {
    double load = 0;
    for (Assignment assignment : assignments) {
      load += assignment.perSecond() / assignment.tenant().mostPerSecond(size);
    }
    return load;
  }

  Partition partition() {
    return new Partition(
        size.share(),
        assignments.stream()
            .map(assignment ->
                new Turn(assignment.tenant().name(), assignment.batch(), assignment.perSecond()))
            .toList());
  }
}

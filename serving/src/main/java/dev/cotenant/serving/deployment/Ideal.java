package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.Seen.Phase;
import dev.cotenant.serving.deployment.Seen.Running;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** An executor whose steps complete immediately. */
final class Ideal {
  private final SortedMap<String, Running> processes = new TreeMap<>();
  private long sequence;

  Ideal(Deployment running) {
    running
        .replicas()
        .forEach((id, placed) ->
            processes.put(id, new Running(placed.gpu(), placed.replica().share(), 0, Phase.READY)));
  }

  void take(Step step) {
    switch (step) {
      case Step.Start start -> put(start.id(), start.gpu(), start.share(), start.generation());
      case Step.Set set -> put(set.id(), gpu(set.id()), set.share(), set.generation());
      case Step.Stop stop -> processes.remove(stop.id());
    }
  }

  private void put(String id, String gpu, Share share, long generation) {
    processes.put(id, new Running(gpu, share, generation, Phase.READY));
  }

  private String gpu(String id) {
    return Objects.requireNonNull(processes.get(id), id).gpu();
  }

  Seen seen() {
    return new Seen(sequence++, processes);
  }
}

package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.FleetTarget.Placed;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The steps from one target to another, in rounds that each follow the end of the last: make before
 * break. At no instant has a service fewer processes than before, unless the target has fewer, and
 * at no instant do the shares of a GPU add up to more than the whole.
 *
 * <p>A process that the target does not have ends when as many others of its service are there as
 * the target has. Where processes wait for the share of others, which may end only when those are
 * elsewhere, one of the latter gets a stand-in on a GPU of the target with room: the cycle is
 * broken. Without such a GPU the steps end before the target.
 */
public final class StepOrder {
  private final FleetTarget target;
  private final SortedMap<String, Placed> wanted;
  private final Map<String, Integer> counts = new HashMap<>();

  /** By id of the process; the replica of one that stands in has no id. */
  private final SortedMap<String, Placed> processes;

  private int created;

  private StepOrder(FleetTarget from, FleetTarget target) {
    this.target = target;
    processes = from.replicas();
    wanted = target.replicas();
    wanted.values().forEach(placed -> counts.merge(placed.replica().service(), 1, Integer::sum));
  }

  /** All steps, as they are sent where none fails. */
  public static List<Step> of(FleetTarget from, FleetTarget target) {
    StepOrder order = new StepOrder(from, target);
    List<Step> all = new ArrayList<>();
    for (Round round = order.round(); !round.steps.isEmpty(); round = order.round()) {
      all.addAll(round.steps.values());
    }
    return all;
  }

  private Round round() {
    Round round = new Round();
    wanted.forEach((id, placed) -> round.want(placed, round.running.get(id)));
    round.surplus.stream()
        .sorted(Comparator.comparing((String id) -> !round.isBlocked(id)).thenComparing(id -> id))
        .toList()
        .forEach(round::end);
    if (round.steps.isEmpty()) {
      round.standIn();
    }
    return round;
  }

  private Placed process(String id) {
    Placed placed = processes.get(id);
    if (placed == null) {
      throw new IllegalStateException("no process " + id);
    }
    return placed;
  }

  /** Steps by process, from what runs before them: what they free is not there yet. */
  private final class Round {
    private final SortedMap<String, Step> steps = new TreeMap<>();
    private final Map<String, Integer> used = new HashMap<>();
    private final Map<String, Integer> ready = new HashMap<>();
    private final Map<String, String> running = new HashMap<>();
    private final List<String> surplus = new ArrayList<>();
    private final Set<String> blocked = new HashSet<>();

    Round() {
      processes.forEach((id, placed) -> {
        Replica replica = placed.replica();
        used.merge(placed.gpu(), replica.share().permille(), Integer::sum);
        ready.merge(replica.service(), 1, Integer::sum);
        running.put(replica.id(), id);
        if (!wanted.containsKey(replica.id())) {
          surplus.add(id);
        }
      });
    }

    void want(Placed placed, @Nullable String id) {
      Replica replica = placed.replica();
      Replica now = id == null ? null : process(id).replica();
      if (id == null || now == null) {
        if (hasRoom(placed.gpu(), replica.share().permille())) {
          start(placed.gpu(), replica);
        } else {
          blocked.add(placed.gpu());
        }
      } else if (!now.share().equals(replica.share()) || now.batch() != replica.batch()) {
        int more = Math.max(0, replica.share().permille() - now.share().permille());
        if (hasRoom(placed.gpu(), more)) {
          used.merge(placed.gpu(), more, Integer::sum);
          processes.put(id, new Placed(process(id).gpu(), replica));
          steps.put(id, new Step.Set(id, replica.share(), replica.batch()));
        } else {
          blocked.add(placed.gpu());
        }
      }
    }

    private boolean hasRoom(String gpu, int permille) {
      return used.getOrDefault(gpu, 0) + permille <= Share.WHOLE.permille();
    }

    boolean isBlocked(String id) {
      return blocked.contains(process(id).gpu());
    }

    private void start(String gpu, Replica replica) {
      String id = replica.service() + "." + ++created;
      used.merge(gpu, replica.share().permille(), Integer::sum);
      processes.put(id, new Placed(gpu, replica));
      steps.put(id, new Step.Start(id, gpu, replica.service(), replica.share(), replica.batch()));
    }

    void end(String id) {
      String service = process(id).replica().service();
      int others = ready.getOrDefault(service, 0) - 1;
      if (others >= counts.getOrDefault(service, 0)) {
        ready.put(service, others);
        processes.remove(id);
        steps.put(id, new Step.Stop(id));
      }
    }

    /** A stand-in for the first surplus process on a blocked GPU that finds room elsewhere. */
    void standIn() {
      for (String id : surplus) {
        Replica replica = process(id).replica();
        if (replica.id().isEmpty() || !isBlocked(id)) {
          continue;
        }
        FleetTarget.Gpu own = target.gpus().get(process(id).gpu());
        for (Map.Entry<String, FleetTarget.Gpu> gpu : target.gpus().entrySet()) {
          boolean isAlike = own != null && gpu.getValue().device().equals(own.device());
          if (isAlike
              && !blocked.contains(gpu.getKey())
              && hasRoom(gpu.getKey(), replica.share().permille())) {
            start(
                gpu.getKey(),
                new Replica("", replica.service(), replica.share(), replica.batch(), 0));
            return;
          }
        }
      }
    }
  }
}

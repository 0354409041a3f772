package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.Deployment.Gpu;
import dev.cotenant.serving.deployment.Deployment.Placed;
import dev.cotenant.serving.deployment.Deployment.Replica;
import dev.cotenant.serving.deployment.Journal.Entry;
import dev.cotenant.serving.deployment.Journal.Progress;
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
 * The next steps from what runs to a target: make before break, level triggered. A pure function:
 * the same steps come again until they are seen to be done, whatever was lost or came late.
 *
 * <p>At no instant has a service fewer ready processes than before, unless the target has fewer or
 * they died, and at no instant do the shares of a GPU add up to more than the whole: a share counts
 * until its process is seen to have ended.
 */
public final class Reconciler {
  /*
   * A process that the target does not have ends when as many others of its service are ready as the
   * target has. Where processes wait for the share of others, which may end only when those are ready
   * elsewhere, one of the latter gets a stand-in on a GPU with room: the cycle is broken. Without a
   * GPU with room it stays blocked.
   */
  private final Deployment target;
  private final SortedMap<String, Entry> entries;
  private final Map<String, Integer> used = new HashMap<>();
  private final Map<String, Integer> ready = new HashMap<>();
  private final Map<String, Integer> wanted = new HashMap<>();
  private final Set<String> blocked = new HashSet<>();
  private final List<Step> steps = new ArrayList<>();
  private final long sequence;
  private long created;

  /**
   * What to do now.
   *
   * @param journal to be written down before the steps are sent
   * @param steps in their order
   * @param isDone whether the seen state equals the target
   */
  public record Next(Journal journal, List<Step> steps, boolean isDone) {
    public Next {
      steps = List.copyOf(steps);
    }
  }

  private Reconciler(Deployment target, Journal journal) {
    this.target = target;
    entries = new TreeMap<>(journal.entries());
    sequence = journal.sequence();
    created = journal.created();
    for (Entry entry : entries.values()) {
      used.merge(entry.gpu(), entry.mostPermille(), Integer::sum);
      if (isReady(entry)) {
        ready.merge(entry.service(), 1, Integer::sum);
      }
    }
    target
        .replicas()
        .values()
        .forEach(placed -> wanted.merge(placed.replica().service(), 1, Integer::sum));
  }

  /**
   * The next steps.
   *
   * @param spare further GPUs by name, with their kinds, where something may stand in
   */
  public static Next next(
      Journal journal, Deployment target, Seen seen, Map<String, String> spare) {
    return new Reconciler(target, journal.after(seen)).next(spare);
  }

  /** All steps from one deployment that runs to another, as they are sent where none fails. */
  public static List<Step> order(Deployment from, Deployment target) {
    Map<String, String> none = Map.of();
    Ideal executor = new Ideal(from);
    Journal journal = Journal.of(from);
    List<Step> all = new ArrayList<>();
    Next next = next(journal, target, executor.seen(), none);
    while (!next.isDone() && !next.steps().isEmpty()) {
      next.steps().forEach(executor::take);
      all.addAll(next.steps());
      next = next(next.journal(), target, executor.seen(), none);
    }
    return all;
  }

  private static boolean isReady(Entry entry) {
    return entry.progress() == Progress.SERVING || entry.progress() == Progress.SERVING_OTHERWISE;
  }

  private Next next(Map<String, String> spare) {
    Map<String, String> processes = new HashMap<>();
    entries.forEach((id, entry) -> {
      if (!entry.isEnding() && !entry.replica().isEmpty()) {
        processes.put(entry.replica(), id);
      }
    });
    List<String> surplus = surplus();
    target.replicas().forEach((id, placed) -> want(placed, processes.get(id)));
    surplus.stream()
        .sorted(
            Comparator.comparing((String id) -> !blocked.contains(gpu(id))).thenComparing(id -> id))
        .forEach(this::end);
    boolean settled =
        entries.values().stream().allMatch(entry -> entry.progress() == Progress.SERVING);
    if (settled && !blocked.isEmpty()) {
      standIn(surplus, spare);
    }
    repeat();
    boolean isDone = settled && steps.isEmpty() && entries.size() == target.replicas().size();
    return new Next(new Journal(sequence, created, entries), steps, isDone);
  }

  private List<String> surplus() {
    Set<String> ids = target.replicas().keySet();
    List<String> surplus = new ArrayList<>();
    entries.forEach((id, entry) -> {
      if (!entry.isEnding() && !ids.contains(entry.replica())) {
        surplus.add(id);
      }
    });
    return surplus;
  }

  private String gpu(String id) {
    Entry entry = entries.get(id);
    return entry == null ? "" : entry.gpu();
  }

  private void want(Placed placed, @Nullable String process) {
    Replica replica = placed.replica();
    Entry entry = process == null ? null : entries.get(process);
    if (process == null || entry == null) {
      start(placed.gpu(), replica);
    } else if (!entry.isAs(replica)) {
      Entry changed = entry.changedTo(replica);
      int more = changed.mostPermille() - entry.mostPermille();
      if (hasRoom(placed.gpu(), more)) {
        used.merge(placed.gpu(), more, Integer::sum);
        entries.put(process, unsettled(changed));
      } else {
        blocked.add(placed.gpu());
      }
    }
  }

  private static Entry unsettled(Entry entry) {
    return entry.progress() == Progress.SERVING ? entry.at(Progress.SERVING_OTHERWISE) : entry;
  }

  private boolean hasRoom(String gpu, int permille) {
    return used.getOrDefault(gpu, 0) + permille <= Share.WHOLE.permille();
  }

  private void start(String gpu, Replica replica) {
    if (hasRoom(gpu, replica.share().permille())) {
      ask(replica.id(), gpu, replica);
    } else {
      blocked.add(gpu);
    }
  }

  private void ask(String target, String gpu, Replica like) {
    String id = like.service() + "." + ++created;
    int permille = like.share().permille();
    used.merge(gpu, permille, Integer::sum);
    entries.put(
        id,
        new Entry(
            target, gpu, like.service(), like.share(), like.batch(), 1, permille, Progress.ASKED));
  }

  private void end(String id) {
    Entry entry = entries.get(id);
    if (entry == null) {
      return;
    }
    String service = entry.service();
    int others = ready.getOrDefault(service, 0) - (isReady(entry) ? 1 : 0);
    if (others >= wanted.getOrDefault(service, 0)) {
      ready.put(service, others);
      entries.put(id, entry.at(entry.wasSeen() ? Progress.ENDING : Progress.ENDING_UNSEEN));
    }
  }

  /** A stand-in for the first surplus process on a blocked GPU that finds room elsewhere. */
  private void standIn(List<String> surplus, Map<String, String> spare) {
    SortedMap<String, String> gpus = new TreeMap<>(spare);
    for (Map.Entry<String, Gpu> gpu : target.gpus().entrySet()) {
      gpus.put(gpu.getKey(), gpu.getValue().device());
    }
    for (String id : surplus) {
      Entry entry = entries.get(id);
      if (entry == null || entry.replica().isEmpty() || !blocked.contains(entry.gpu())) {
        continue;
      }
      for (Map.Entry<String, String> gpu : gpus.entrySet()) {
        boolean isAlike = gpu.getValue().equals(gpus.get(entry.gpu()));
        boolean isBlocked = blocked.contains(gpu.getKey());
        if (isAlike && !isBlocked && hasRoom(gpu.getKey(), entry.share().permille())) {
          Replica like = new Replica(id, entry.service(), entry.share(), entry.batch(), 0);
          ask("", gpu.getKey(), like);
          return;
        }
      }
    }
  }

  /** Repeats every unconfirmed step. */
  private void repeat() {
    entries.forEach((id, entry) -> {
      switch (entry.progress()) {
        case ASKED ->
            steps.add(
                new Step.Start(
                    id,
                    entry.gpu(),
                    entry.service(),
                    entry.share(),
                    entry.batch(),
                    entry.generation()));
        case SERVING_OTHERWISE ->
            steps.add(new Step.Set(id, entry.share(), entry.batch(), entry.generation()));
        case CHANGING -> {
          if (entry.generation() > 1) {
            steps.add(new Step.Set(id, entry.share(), entry.batch(), entry.generation()));
          }
        }
        case ENDING, ENDING_UNSEEN -> steps.add(new Step.Stop(id));
        case SERVING -> {}
      }
    });
  }
}

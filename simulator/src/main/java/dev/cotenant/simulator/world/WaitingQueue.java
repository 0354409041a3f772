package dev.cotenant.simulator.world;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Waiting jobs in lines of one scheduling class each, ordered by the head of each line: a cycle
 * looks at one job of each class that has to wait.
 */
final class WaitingQueue {
  private final Comparator<Job> order;
  private final int maxSkips;
  private final Map<Object, TreeSet<Job>> lines = new HashMap<>();
  private final TreeMap<Job, Object> heads;
  private final Map<Job, Object> classes = new HashMap<>();

  WaitingQueue(QueueRule rule) {
    Comparator<JobView> byView = rule.order().comparator();
    order = (first, second) -> byView.compare(first.view, second.view);
    maxSkips = rule.maxSkips();
    heads = new TreeMap<>(order);
  }

  int size() {
    return classes.size();
  }

  void add(Job job, Object schedulingClass) {
    classes.put(job, schedulingClass);
    TreeSet<Job> line = lines.computeIfAbsent(schedulingClass, _ -> new TreeSet<>(order));
    if (!line.isEmpty()) {
      heads.remove(line.first());
    }
    line.add(job);
    heads.put(line.first(), schedulingClass);
  }

  /** Whether a new job is tried although those that wait have to wait on. */
  boolean reaches(Job job) {
    Object own = classes.get(job);
    for (Map.Entry<Job, Object> head : heads.entrySet()) {
      if (head.getKey() == job) {
        return true;
      }
      if (head.getValue().equals(own) || blocks(head.getKey())) {
        return false;
      }
    }
    return false;
  }

  /**
   * Tries jobs in order; those that start leave the queue.
   *
   * @param start whether a job starts now
   */
  void cycle(Predicate<Job> start) {
    boolean isBlocked = false;
    Map.Entry<Job, Object> head = heads.firstEntry();
    while (head != null && !isBlocked) {
      Job job = head.getKey();
      if (start.test(job)) {
        started(job);
      } else {
        isBlocked = blocks(job);
      }
      head = heads.higherEntry(job);
    }
  }

  /** Removes a job that started; earlier heads of lines were skipped. */
  void started(Job job) {
    if (maxSkips < Integer.MAX_VALUE) {
      heads.headMap(job).keySet().forEach(head -> head.skips++);
    }
    remove(job);
  }

  private boolean blocks(Job job) {
    return job.skips >= maxSkips;
  }

  private void remove(Job job) {
    Object schedulingClass = classes.remove(job);
    if (schedulingClass == null) {
      return;
    }
    TreeSet<Job> line = lines.get(schedulingClass);
    if (line == null) {
      return;
    }
    heads.remove(line.first());
    line.remove(job);
    if (line.isEmpty()) {
      lines.remove(schedulingClass);
    } else {
      heads.put(line.first(), schedulingClass);
    }
  }
}

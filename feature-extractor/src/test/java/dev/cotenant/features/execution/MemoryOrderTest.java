package dev.cotenant.features.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator.Kernel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryOrderTest {
  /** A step that writes a buffer of its own name. */
  private record Task(String name, long bytes, List<String> reads) {}

  private static long peak(List<Task> tasks, Set<String> outputs) {
    List<String> values = new ArrayList<>(List.of("x"));
    tasks.forEach(task -> values.add(task.name));
    DataFlow flow = new DataFlow(values.size());
    for (int i = 0; i < tasks.size(); i++) {
      Task task = tasks.get(i);
      DataFlow.Use use = flow.use(Kernel.CLOSED, i);
      task.reads.forEach(name -> use.reads(values.indexOf(name), Amount.of(1_000_000)));
      use.writes(values.indexOf(task.name), Amount.of(task.bytes));
      use.add();
    }
    outputs.forEach(name -> flow.output(values.indexOf(name)));
    return flow.peak().atDeclared();
  }

  @Test
  void finishesOneBranchBeforeItBeginsTheNext() {
    List<Task> filedBreadthFirst =
        List.of(
            new Task("a", 100, List.of("x")),
            new Task("b", 100, List.of("x")),
            new Task("c", 100, List.of("x")),
            new Task("a2", 1, List.of("a")),
            new Task("b2", 1, List.of("b")),
            new Task("c2", 1, List.of("c")),
            new Task("sum", 1, List.of("a2", "b2", "c2")));
    // As filed a, b and c wait together: 300 and a2. One after the other: 100 + a2 + b2 + c2.
    assertThat(peak(filedBreadthFirst, Set.of("sum"))).isEqualTo(103);
  }

  @Test
  void keepsTheFiledOrderWhereGreedIsWorse() {
    // Greed begins with the small growth of a (1), whose child needs 90 while b's result waits.
    List<Task> tasks =
        List.of(
            new Task("b", 50, List.of("x")),
            new Task("b2", 1, List.of("b")),
            new Task("a", 1, List.of("x")),
            new Task("a2", 90, List.of("a")),
            new Task("sum", 1, List.of("a2", "b2")));
    // b + b2 = 51; then b2 + a + a2 = 92, then sum: 91 + 1.
    assertThat(peak(tasks, Set.of("sum"))).isEqualTo(92);
  }

  @Test
  void countsNeitherInputsNorWhatNobodyReadsForLong() {
    List<Task> tasks =
        List.of(
            new Task("unused", 500, List.of("x")),
            new Task("y", 10, List.of("x")),
            new Task("z", 20, List.of("y")));
    assertThat(peak(tasks, Set.of("z"))).isEqualTo(500);
    // Last, beside z, once y is gone.
    assertThat(peak(tasks, Set.of("z", "unused"))).isEqualTo(520);
    assertThat(peak(List.of(), Set.of())).isZero();
  }

  @Test
  void liesBetweenTheBestOfAllOrdersAndTheFiledOne() {
    Random random = new Random(11);
    for (int run = 0; run < 200; run++) {
      List<Task> tasks = randomTasks(random, 2 + random.nextInt(6));
      Set<String> outputs = Set.of(tasks.getLast().name);
      long found = peak(tasks, outputs);
      assertThat(found).isLessThanOrEqualTo(simulate(tasks, outputs));
      assertThat(found).isGreaterThanOrEqualTo(best(tasks, new ArrayList<>(), outputs));
    }
  }

  private static List<Task> randomTasks(Random random, int count) {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Set<String> reads = new HashSet<>();
      for (int j = 0; j < i; j++) {
        if (random.nextInt(3) == 0) {
          reads.add("t" + j);
        }
      }
      tasks.add(new Task("t" + i, 1 + random.nextInt(100), List.copyOf(reads)));
    }
    return tasks;
  }

  /** The least peak over every runnable order that begins with {@code done}. */
  private static long best(List<Task> tasks, List<Task> done, Set<String> outputs) {
    if (done.size() == tasks.size()) {
      return simulate(done, outputs);
    }
    long least = Long.MAX_VALUE;
    for (Task task : tasks) {
      boolean ready =
          !done.contains(task)
              && task.reads.stream()
                  .allMatch(name -> done.stream().anyMatch(d -> d.name.equals(name)));
      if (ready) {
        done.add(task);
        least = Math.min(least, best(tasks, done, outputs));
        done.removeLast();
      }
    }
    return least;
  }

  /** What is alive, recounted at each step: whatever was written and is still to be read. */
  private static long simulate(List<Task> order, Set<String> outputs) {
    long peak = 0;
    for (int i = 0; i < order.size(); i++) {
      long alive = 0;
      for (int j = 0; j <= i; j++) {
        String name = order.get(j).name;
        boolean pending =
            order.subList(i, order.size()).stream().anyMatch(t -> t.reads.contains(name));
        boolean current = j == i;
        alive += pending || current || outputs.contains(name) ? order.get(j).bytes : 0;
      }
      peak = Math.max(peak, alive);
    }
    return peak;
  }
}

package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * Rows to learn from and rows to score.
 *
 * @param name what is left out
 */
record Fold(String name, List<StepTimeRun> train, List<StepTimeRun> test) {
  Fold {
    train = List.copyOf(train);
    test = List.copyOf(test);
  }

  /** Leaves out every value of a key in turn. */
  static List<Fold> leavingOut(List<StepTimeRun> runs, Function<StepTimeRun, String> key) {
    return runs.stream()
        .collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .map(group ->
            new Fold(
                group.getKey(),
                runs.stream().filter(run -> !key.apply(run).equals(group.getKey())).toList(),
                group.getValue()))
        .filter(fold -> !fold.train.isEmpty())
        .toList();
  }

  /** Leaves out groups of values of a key, always the same ones. */
  static List<Fold> inGroups(
      List<StepTimeRun> runs, Function<StepTimeRun, String> key, int groups) {
    return IntStream.range(0, groups)
        .mapToObj(group ->
            new Fold(
                String.valueOf(group),
                runs.stream().filter(run -> groupOf(key.apply(run), groups) != group).toList(),
                runs.stream().filter(run -> groupOf(key.apply(run), groups) == group).toList()))
        .filter(fold -> !fold.train.isEmpty() && !fold.test.isEmpty())
        .toList();
  }

  static int groupOf(String key, int groups) {
    CRC32 hash = new CRC32();
    hash.update(key.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % groups);
  }
}

package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which rows are learned from and which are scored. Without rows to test, each part of the data is
 * left out in turn; with them, all data is learned from, and a test row counts for the protocol
 * that leaves out what the data lacks of it.
 *
 * @param data rows to learn from
 * @param test rows to score; empty for cross-validation
 */
record TimmFolds(List<StepTimeRun> data, List<StepTimeRun> test) {
  static final int RANDOM_FOLDS = 5;
  static final int FAMILY_GROUPS = 8;

  /** Whether rows to test were given. */
  boolean isGiven() {
    return !test.isEmpty();
  }

  TimmFolds only(Predicate<StepTimeRun> condition) {
    return new TimmFolds(
        data.stream().filter(condition).toList(), test.stream().filter(condition).toList());
  }

  /** Rows that are scored in one protocol or another. */
  List<StepTimeRun> scored() {
    return isGiven() ? test : data;
  }

  private Predicate<StepTimeRun> in(Function<StepTimeRun, String> key) {
    Set<String> known = data.stream().map(key).collect(Collectors.toSet());
    return run -> known.contains(key.apply(run));
  }

  private List<Fold> given(Predicate<StepTimeRun> condition) {
    List<StepTimeRun> rows = test.stream().filter(condition).toList();
    return rows.isEmpty() || data.isEmpty() ? List.of() : List.of(new Fold("test", data, rows));
  }

  /** Other networks of the same families and devices. */
  List<Fold> networks() {
    return isGiven()
        ? given(in(Bench::device).and(in(Bench::family)))
        : Fold.inGroups(data, Bench::network, RANDOM_FOLDS);
  }

  /** Leave-out by family on the same devices. */
  List<Fold> families() {
    return isGiven()
        ? given(in(Bench::device).and(in(Bench::family).negate()))
        : Fold.inGroups(data, Bench::family, FAMILY_GROUPS);
  }

  /** One fold a device that was not learned from. */
  List<Fold> devices() {
    return isGiven()
        ? Bench.grouped(test.stream().filter(in(Bench::device).negate()).toList(), Bench::device)
            .entrySet()
            .stream()
            .map(entry -> new Fold(entry.getKey(), data, entry.getValue()))
            .toList()
        : Fold.leavingOut(data, Bench::device);
  }

  /** Parts of a device's fold whose networks, or families, were not learned from either. */
  static List<Fold> crossed(Fold device, Function<StepTimeRun, String> key, int groups) {
    return IntStream.range(0, groups)
        .mapToObj(group -> crossed(device, run -> Fold.groupOf(key.apply(run), groups) == group))
        .filter(fold -> !fold.test().isEmpty() && !fold.train().isEmpty())
        .toList();
  }

  private static Fold crossed(Fold device, Predicate<StepTimeRun> isOwn) {
    return new Fold(
        device.name(),
        device.train().stream().filter(isOwn.negate()).toList(),
        device.test().stream().filter(isOwn).toList());
  }

  /** Every ordered pair of devices within a stack; one that is scored is not learned from. */
  List<Fold> directions() {
    List<Fold> folds = new ArrayList<>();
    Map<String, List<StepTimeRun>> known =
        Bench.grouped(data, run -> run.stack() + " " + Bench.device(run));
    Bench.grouped(scored(), run -> run.stack() + " " + Bench.device(run))
        .values()
        .forEach(to ->
            known.values().stream()
                .filter(from -> isOtherDevice(from.getFirst(), to.getFirst()))
                .forEach(from ->
                    folds.add(
                        new Fold(
                            Bench.device(from.getFirst()) + " to " + Bench.device(to.getFirst()),
                            from,
                            to))));
    return folds;
  }

  private static boolean isOtherDevice(StepTimeRun from, StepTimeRun to) {
    return from.stack().equals(to.stack()) && !Bench.device(from).equals(Bench.device(to));
  }
}

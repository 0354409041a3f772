package dev.cotenant.predictor.train;

import dev.cotenant.domain.profile.ProfileRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Ways to hold rows out: at random, or by group so that a group is never on both sides. */
public final class Folds {
  private Folds() {}

  /**
   * One way to divide a table.
   *
   * @param train row indices to learn from
   * @param test row indices to judge by
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Split(int[] train, int[] test) {}

  /** Each row in exactly one of {@code count} test parts of even size. */
  public static List<Split> random(int rows, int count, long seed) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, rows).boxed().toList());
    Collections.shuffle(order, new Random(seed));
    int[] foldOf = new int[rows];
    for (int place = 0; place < rows; place++) {
      foldOf[order.get(place)] = place % count;
    }
    return IntStream.range(0, count)
        .mapToObj(fold -> split(foldOf, fold))
        .filter(split -> split.train().length > 0 && split.test().length > 0)
        .toList();
  }

  /** One test part for each group, in the groups' order; none when there is but one group. */
  public static List<Split> leaveOneOut(
      List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    SortedMap<String, Integer> numbers = new TreeMap<>();
    rows.forEach(row -> numbers.put(groupOf.apply(row), 0));
    if (numbers.size() < 2) {
      return List.of();
    }
    int next = 0;
    for (var entry : numbers.entrySet()) {
      entry.setValue(next++);
    }
    int[] foldOf = rows.stream().mapToInt(row -> numbers.get(groupOf.apply(row))).toArray();
    return IntStream.range(0, numbers.size()).mapToObj(fold -> split(foldOf, fold)).toList();
  }

  /**
   * At most {@code count} test parts of whole groups and about as many rows; none when there is but
   * one group.
   */
  public static List<Split> grouped(
      List<ProfileRow> rows, Function<ProfileRow, String> groupOf, int count) {
    Map<String, Integer> sizes = new TreeMap<>();
    rows.forEach(row -> sizes.merge(groupOf.apply(row), 1, Integer::sum));
    if (sizes.size() < 2) {
      return List.of();
    }
    List<String> largestFirst = new ArrayList<>(sizes.keySet());
    largestFirst.sort(Comparator.comparing(sizes::get, Comparator.reverseOrder()));
    int[] filled = new int[Math.min(count, sizes.size())];
    Map<String, Integer> foldOfGroup = new TreeMap<>();
    for (String group : largestFirst) {
      int emptiest = 0;
      for (int fold = 1; fold < filled.length; fold++) {
        emptiest = filled[fold] < filled[emptiest] ? fold : emptiest;
      }
      filled[emptiest] += sizes.getOrDefault(group, 0);
      foldOfGroup.put(group, emptiest);
    }
    int[] foldOf =
        rows.stream().mapToInt(row -> foldOfGroup.getOrDefault(groupOf.apply(row), 0)).toArray();
    return IntStream.range(0, filled.length).mapToObj(fold -> split(foldOf, fold)).toList();
  }

  private static Split split(int[] foldOf, int fold) {
    return new Split(
        IntStream.range(0, foldOf.length).filter(row -> foldOf[row] != fold).toArray(),
        IntStream.range(0, foldOf.length).filter(row -> foldOf[row] == fold).toArray());
  }

  /**
   * The layout of a model: its family and the last part of its topology, so that a layout measured
   * twice, by two generators of one set, counts as one.
   */
  public static String layout(ProfileRow row) {
    String topology = row.topology();
    return row.family() + "/" + topology.substring(topology.lastIndexOf('/') + 1);
  }

  /** The model, whatever its batch. */
  public static String model(ProfileRow row) {
    return row.family() + "/" + row.topology() + "/" + row.features().parameters();
  }

  /**
   * Who measured the row, in lower case: tables of several sources name them after the format, such
   * as {@code named-models/SPREAD:17}.
   */
  public static String origin(ProfileRow row) {
    return originOf(row.source());
  }

  static String originOf(String source) {
    String origin = source.replaceFirst("^named-models/", "");
    return origin.replaceFirst("[:/].*$", "").toLowerCase(Locale.ROOT);
  }

  public static String device(ProfileRow row) {
    return row.device().value();
  }
}

package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.PairLatency;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Rows to learn from and rows to judge by.
 *
 * @param <T> a row
 */
record Split<T>(List<T> train, List<T> test) {
  /** Random rows. */
  static <T> Split<T> random(List<T> rows, double trainShare, long seed) {
    List<T> order = new ArrayList<>(rows);
    Collections.shuffle(order, new Random(seed));
    int cut = (int) Math.round(trainShare * order.size());
    return new Split<>(order.subList(0, cut), order.subList(cut, order.size()));
  }

  /** Whole pairs, as evenly as can be from every two models; both sides of a pair go together. */
  static <T> Split<T> stratified(
      List<T> rows, Function<T, PairLatency> pairOf, int pairs, long seed) {
    Set<String> chosen = draw(rows, pairOf, pairs, seed);
    return by(rows, row -> chosen.contains(pairOf.apply(row).pair()));
  }

  private static <T> Set<String> draw(
      List<T> rows, Function<T, PairLatency> pairOf, int pairs, long seed) {
    Map<String, SortedSet<String>> byModels = new TreeMap<>();
    for (T row : rows) {
      PairLatency pair = pairOf.apply(row);
      byModels.computeIfAbsent(pair.models(), _ -> new TreeSet<>()).add(pair.pair());
    }
    Random random = new Random(seed);
    List<List<String>> shuffled = new ArrayList<>();
    for (SortedSet<String> group : byModels.values()) {
      List<String> order = new ArrayList<>(group);
      Collections.shuffle(order, random);
      shuffled.add(order);
    }
    Set<String> chosen = new HashSet<>();
    for (int round = 0; chosen.size() < pairs; round++) {
      int before = chosen.size();
      for (List<String> order : shuffled) {
        if (round < order.size() && chosen.size() < pairs) {
          chosen.add(order.get(round));
        }
      }
      if (chosen.size() == before) {
        return chosen;
      }
    }
    return chosen;
  }

  /** Each model out in turn, all but {@code ownPairs} of its pairs being the test. */
  static <T> List<Split<T>> modelOut(
      List<T> rows, Function<T, PairLatency> pairOf, int ownPairs, long seed) {
    SortedSet<String> models = new TreeSet<>();
    rows.forEach(row -> models.add(pairOf.apply(row).own().model()));
    List<Split<T>> splits = new ArrayList<>();
    for (String model : models) {
      Predicate<T> isOut =
          row ->
              pairOf.apply(row).own().model().equals(model)
                  || pairOf.apply(row).other().model().equals(model);
      List<T> out = rows.stream().filter(isOut).toList();
      Set<String> shown = draw(out, pairOf, ownPairs, seed);
      splits.add(by(rows, row -> !isOut.test(row) || shown.contains(pairOf.apply(row).pair())));
    }
    return splits;
  }

  /** Each batch out in turn, on either side; {@code pairs} pairs of the others to learn from. */
  static <T> List<Split<T>> batchOut(
      List<T> rows, Function<T, PairLatency> pairOf, int pairs, long seed) {
    SortedSet<Integer> batches = new TreeSet<>();
    rows.forEach(row -> batches.add(pairOf.apply(row).own().batch()));
    List<Split<T>> splits = new ArrayList<>();
    for (int batch : batches) {
      Split<T> apart =
          by(
              rows,
              row ->
                  pairOf.apply(row).own().batch() != batch
                      && pairOf.apply(row).other().batch() != batch);
      splits.add(new Split<>(stratified(apart.train(), pairOf, pairs, seed).train(), apart.test()));
    }
    return splits;
  }

  static <T> Split<T> by(List<T> rows, Predicate<T> isTrain) {
    return new Split<>(
        rows.stream().filter(isTrain).toList(), rows.stream().filter(isTrain.negate()).toList());
  }
}

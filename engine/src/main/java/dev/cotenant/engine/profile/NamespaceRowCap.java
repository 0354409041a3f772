package dev.cotenant.engine.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows that trainings learn from and versions are compared on. A version serves all namespaces,
 * so that no single namespace may decide: of each namespace, its newest rows count, at most as many
 * as of all other namespaces together, and a few in any case. Shared rows all count.
 */
public final class NamespaceRowCap {
  /** Rows that a namespace may always contribute: enough for one training. */
  static final int MIN = 20;

  private NamespaceRowCap() {}

  /**
   * The rows that count.
   *
   * @param rows in the order of arrival
   */
  public static List<StoredProfile> of(List<StoredProfile> rows) {
    Map<String, Integer> left = new HashMap<>();
    rows.stream()
        .filter(row -> !isShared(row))
        .forEach(row -> left.merge(row.namespace(), 1, Integer::sum));
    left.replaceAll((_, own) -> {
      int others = rows.size() - own;
      return others == 0 ? own : Math.max(MIN, others);
    });
    List<StoredProfile> counted = new ArrayList<>();
    for (StoredProfile row : rows.reversed()) {
      if (isShared(row) || left.merge(row.namespace(), -1, Integer::sum) >= 0) {
        counted.add(row);
      }
    }
    return counted.reversed();
  }

  private static boolean isShared(StoredProfile row) {
    return row.namespace().equals(ProfileStore.SHARED);
  }
}

package dev.cotenant.placement;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.placement.RiskCheck.Member;
import dev.cotenant.placement.RiskKinds.Kind;
import dev.cotenant.placement.RiskKinds.Numbering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which kinds of tenants are alike to one state of the models of risk, and for each newcomer the
 * slowdown that a pair exceeds with the probability of its budget. Safe for use by several threads.
 */
final class RiskGroups {
  /*
   * Idea: the risk of a pair falls with the slowdown limit, so a budget is exceeded up to
   * one slowdown of the pair, found once; then every limit is one comparison. That slowdown depends
   * on the model, configurations and budget of both, of which there are few, while of namespaces,
   * limits and pods there are many.
   */
  /** Slowdowns that are remembered, 16 MiB. */
  private static final int MAX_FOUND = 4 << 20;

  private final RiskCheck check;
  private final Object state;
  private final Numbering numbering;
  private final Map<Group, Integer> numbers = new HashMap<>();
  private final List<Kind> members = new ArrayList<>();
  private final Map<Row, float[]> rows = new HashMap<>();
  private int[] ofKind = new int[0];
  private int kinds;
  private long found;

  RiskGroups(RiskCheck check, Object state, Numbering numbering) {
    this.check = check;
    this.state = state;
    this.numbering = numbering;
  }

  /** Common properties of a group's members; models are compared by identity. */
  private record Group(int product, RiskModel model, SharedJob job, RiskLimit risk) {
    static Group of(Kind kind, RiskModel model) {
      return new Group(kind.number(), model, kind.one().job(), kind.one().risk());
    }
  }

  private record Row(DeviceId device, RiskKinds.Key newcomer) {}

  Object state() {
    return state;
  }

  Numbering numbering() {
    return numbering;
  }

  /** Group numbers of these kinds. */
  synchronized int[] of(int[] ofTenants) {
    if (ofKind.length < numbering.size()) {
      ofKind = Arrays.copyOf(ofKind, Math.max(numbering.size(), 2 * ofKind.length));
    }
    for (; kinds < numbering.size(); kinds++) {
      Kind kind = numbering.kind(kinds);
      ofKind[kinds] =
          numbers.computeIfAbsent(
              Group.of(kind, check.model(kind.one())),
              _ -> {
                members.add(kind);
                return members.size() - 1;
              });
    }
    int[] groups = new int[ofTenants.length];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = ofKind[ofTenants[i]];
    }
    return groups;
  }

  /**
   * About a newcomer, for each group two logarithms of slowdowns, {@code NaN} until they are {@link
   * #find found}: a tenant of it with a lower limit than the first exceeds its budget beside the
   * newcomer, and the newcomer exceeds its own where its limit is lower than the second.
   */
  synchronized float[] row(DeviceId device, Newcomer newcomer) {
    Row key = new Row(device, RiskKinds.Key.of(newcomer));
    float[] row = rows.get(key);
    if (row == null || row.length < 2 * members.size()) {
      float[] before = row == null ? new float[0] : row;
      row = Arrays.copyOf(before, 2 * Math.max(16, members.size()));
      Arrays.fill(row, before.length, row.length, Float.NaN);
      found += row.length - before.length;
      if (found > MAX_FOUND) {
        rows.clear();
        found = row.length;
      }
      rows.put(key, row);
    }
    return row;
  }

  /** Writes both of a group; the same whichever thread does. */
  void find(float[] row, int group, Newcomer newcomer) {
    Kind kind = member(group);
    String device = kind.product().id().value();
    Member own = check.member(kind.product(), newcomer);
    boolean isExploring = newcomer.isExploring();
    row[2 * group + 1] = check.logSlowdownWithin(device, own, kind.one(), isExploring);
    row[2 * group] =
        isExploring && !kind.one().risk().exploration().areAllowed()
            ? Float.POSITIVE_INFINITY
            : check.logSlowdownWithin(device, kind.one(), own, isExploring);
  }

  private synchronized Kind member(int group) {
    return members.get(group);
  }
}

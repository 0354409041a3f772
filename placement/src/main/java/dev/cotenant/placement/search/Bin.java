package dev.cotenant.placement.search;

import java.util.Arrays;

/** One device of a plan in the making: which kinds of service share it. */
final class Bin {
  private static final int ROOM = 4;

  private final Groups groups;
  private int[] members = new int[ROOM];
  private int size;
  private long hash;
  private int units;

  Bin(Groups groups) {
    this.groups = groups;
  }

  Bin(Groups groups, int... kinds) {
    this.groups = groups;
    members = Arrays.copyOf(kinds, Math.max(ROOM, kinds.length));
    size = kinds.length;
    for (int kind : kinds) {
      hash += groups.hash(kind);
    }
    units = size == 0 ? 0 : groups.total(members, size, hash);
  }

  Bin copy() {
    Bin copy = new Bin(groups);
    copy.members = members.clone();
    copy.size = size;
    copy.hash = hash;
    copy.units = units;
    return copy;
  }

  int size() {
    return size;
  }

  int member(int index) {
    return members[index];
  }

  int[] members() {
    return Arrays.copyOf(members, size);
  }

  int units() {
    return units;
  }

  /** Units with one more; {@link Groups#TOO_MANY} where it does not fit. */
  int with(int kind) {
    return trial(-1, -1, kind);
  }

  /** Units with one more, and without the members at {@code first} and {@code second}, if any. */
  int trial(int first, int second, int kind) {
    int least = groups.alone(kind);
    if (least > groups.needs().wholeUnits()) {
      return Groups.TOO_MANY;
    }
    if (first < 0 && units + least > groups.needs().wholeUnits()) {
      return Groups.TOO_MANY;
    }
    long after = hash + groups.hash(kind);
    after -= first < 0 ? 0 : groups.hash(members[first]);
    after -= second < 0 ? 0 : groups.hash(members[second]);
    int known = groups.known(after);
    if (known != 0) {
      return known;
    }
    int[] all = new int[size + 1];
    int count = 0;
    for (int i = 0; i < size; i++) {
      if (i != first && i != second) {
        all[count++] = members[i];
      }
    }
    all[count++] = kind;
    return groups.total(all, count, after);
  }

  void add(int kind) {
    if (size == members.length) {
      members = Arrays.copyOf(members, size * 2);
    }
    members[size++] = kind;
    hash += groups.hash(kind);
    units = groups.total(members, size, hash);
  }

  /** Takes out the member at this place; the last one moves there. */
  void removeAt(int index) {
    hash -= groups.hash(members[index]);
    members[index] = members[--size];
    units = size == 0 ? 0 : groups.total(members, size, hash);
  }
}

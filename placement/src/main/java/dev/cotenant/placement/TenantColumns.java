package dev.cotenant.placement;

import dev.cotenant.placement.RiskKinds.Numbering;
import dev.cotenant.placement.RiskKinds.Numbers;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of the GPUs of a bucket side by side, in its order, as the models of risk see them.
 * Immutable but for what is made when it is first needed.
 */
final class TenantColumns {
  private final RiskKinds all;
  private final Numbering numbering;
  private final int[] begins;
  private final int[] kinds;
  private final float[] limits;
  private volatile @Nullable Grouped grouped;

  private static final class Grouped {
    private final RiskGroups by;
    private final int[] groups;

    Grouped(RiskGroups by, int[] groups) {
      this.by = by;
      this.groups = groups;
    }
  }

  private TenantColumns(
      RiskKinds all,
      Numbering numbering,
      int[] begins,
      int[] kinds,
      float[] limits,
      @Nullable Grouped grouped) {
    this.all = all;
    this.numbering = numbering;
    this.begins = begins;
    this.kinds = kinds;
    this.limits = limits;
    this.grouped = grouped;
  }

  static TenantColumns of(RiskKinds all, Numbering numbering, IndexedGpu[] gpus) {
    Numbers[] ofGpus = new Numbers[gpus.length];
    int[] begins = new int[gpus.length + 1];
    for (int place = 0; place < gpus.length; place++) {
      ofGpus[place] = gpus[place].kinds().get(all, numbering, gpus[place].gpu());
      begins[place + 1] = begins[place] + ofGpus[place].kinds().length;
    }
    int[] kinds = new int[begins[gpus.length]];
    float[] limits = new float[kinds.length];
    for (int place = 0; place < gpus.length; place++) {
      int size = begins[place + 1] - begins[place];
      System.arraycopy(ofGpus[place].kinds(), 0, kinds, begins[place], size);
      System.arraycopy(ofGpus[place].limits(), 0, limits, begins[place], size);
    }
    return new TenantColumns(all, numbering, begins, kinds, limits, null);
  }

  Numbering numbering() {
    return numbering;
  }

  /** The first tenant of the GPU at a place; of the place after the last, their number. */
  int begin(int place) {
    return begins[place];
  }

  /** The logarithm of the slowdown limit of a tenant. */
  float limit(int tenant) {
    return limits[tenant];
  }

  /** The group of each tenant. */
  @SuppressWarnings("ReferenceEquality") // one object for each state
  int[] groups(RiskGroups by) {
    Grouped known = grouped;
    if (known == null || known.by != by) {
      known = new Grouped(by, by.of(kinds));
      grouped = known;
    }
    return known.groups;
  }

  /**
   * Copy with the GPU at one place removed, and another inserted at a place among the remaining
   * ones.
   */
  TenantColumns moved(int from, int to, IndexedGpu gpu) {
    Numbers tenants = gpu.kinds().get(all, numbering, gpu.gpu());
    int more = tenants.kinds().length;
    int[] at = new int[begins.length];
    for (int place = 0; place + 1 < at.length; place++) {
      int before = place < to ? place : place - 1;
      int was = before < from ? before : before + 1;
      int size = place == to ? more : begins[was + 1] - begins[was];
      at[place + 1] = at[place] + size;
    }
    int[] movedKinds = new int[at[at.length - 1]];
    float[] movedLimits = new float[movedKinds.length];
    copy(from, to, at, kinds, tenants.kinds(), movedKinds);
    copy(from, to, at, limits, tenants.limits(), movedLimits);
    Grouped known = grouped;
    if (known == null) {
      return new TenantColumns(all, numbering, at, movedKinds, movedLimits, null);
    }
    int[] movedGroups = new int[movedKinds.length];
    copy(from, to, at, known.groups, known.by.of(tenants.kinds()), movedGroups);
    return new TenantColumns(
        all, numbering, at, movedKinds, movedLimits, new Grouped(known.by, movedGroups));
  }

  /** All but those of {@code from}, and the new ones in between. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one type each
  private void copy(int from, int to, int[] at, Object before, Object tenants, Object after) {
    int gone = begins[from + 1] - begins[from];
    int more = at[to + 1] - at[to];
    int low = begins[Math.min(from, to)]; // the same on both sides
    System.arraycopy(before, 0, after, 0, low);
    if (to <= from) {
      System.arraycopy(before, low, after, low + more, begins[from] - low);
    } else {
      System.arraycopy(before, begins[from + 1], after, low, at[to] - low);
    }
    System.arraycopy(tenants, 0, after, at[to], more);
    int rest = begins[Math.max(from + 1, to <= from ? from + 1 : to + 1)];
    System.arraycopy(before, rest, after, rest - gone + more, begins[begins.length - 1] - rest);
  }
}

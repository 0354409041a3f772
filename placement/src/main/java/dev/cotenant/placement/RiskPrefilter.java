package dev.cotenant.placement;

/**
 * The GPUs of a bucket on which a newcomer and one of the tenants are certain to exceed a budget of
 * risk.
 */
final class RiskPrefilter {
  /** What rounding may do is left to the full check. */
  private static final float ROUNDING = 1e-5f;

  private final RiskGroups groups;
  private final Newcomer newcomer;
  private final TenantColumns tenants;
  private final int[] ofTenants;
  private final float[] row;
  private final float ownLimit;

  RiskPrefilter(RiskCheck check, UtilizationBucket bucket, Newcomer newcomer) {
    this.newcomer = newcomer;
    tenants = bucket.tenants(check.kinds());
    groups = check.kinds().groups(tenants.numbering());
    ofTenants = tenants.groups(groups);
    row = groups.row(bucket.product(), newcomer);
    ownLimit = (float) Math.log(newcomer.limits().slowdown().ratio()) + ROUNDING;
  }

  boolean surelyRefuses(int place) {
    int end = tenants.begin(place + 1);
    for (int i = tenants.begin(place); i < end; i++) {
      int group = ofTenants[i];
      float least = row[2 * group];
      if (Float.isNaN(least)) {
        groups.find(row, group, newcomer);
        least = row[2 * group];
      }
      if (tenants.limit(i) + ROUNDING < least || ownLimit < row[2 * group + 1]) {
        return true;
      }
    }
    return false;
  }
}

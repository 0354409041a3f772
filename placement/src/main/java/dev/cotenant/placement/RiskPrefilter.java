package dev.cotenant.placement;

import dev.cotenant.placement.RiskCheck.Member;
import dev.cotenant.placement.TenantKinds.Kind;
import dev.cotenant.placement.TenantKinds.Results;

/**
 * The GPUs on which a newcomer and one of the tenants are certain to exceed a budget of risk. Each
 * kind of tenant is compared with each kind of newcomer once, by the budget that binds.
 */
final class RiskPrefilter {
  private static final byte UNKNOWN = 0;
  private static final byte WITHIN = 1;
  private static final byte EXCEEDED = 2;

  private final RiskCheck check;
  private final TenantKinds all;
  private final Newcomer newcomer;
  private final Results results;

  RiskPrefilter(RiskCheck check, TenantKinds all, Newcomer newcomer) {
    this.check = check;
    this.all = all;
    this.newcomer = newcomer;
    results = all.results(newcomer, check.state());
  }

  boolean surelyRefuses(IndexedGpu gpu) {
    for (Kind kind : gpu.kinds().get(all, gpu.gpu())) {
      byte result = results.of(kind.number());
      if (result == UNKNOWN) {
        result = isExceeded(kind) ? EXCEEDED : WITHIN;
        results.put(kind.number(), result);
      }
      if (result == EXCEEDED) {
        return true;
      }
    }
    return false;
  }

  private boolean isExceeded(Kind kind) {
    Member own = check.member(kind.product(), newcomer);
    return check.exceeds(kind.product(), own, check.member(kind.product(), kind.one()));
  }
}

package dev.cotenant.placement;

import dev.cotenant.placement.RiskCheck.Member;
import dev.cotenant.placement.TenantKinds.Kind;
import java.util.Arrays;

/**
 * The GPUs on which a newcomer and one of the tenants are certain to exceed a budget of risk. Each
 * kind of tenant is compared with the newcomer once. Where no budget of the newcomer binds, the
 * full check finds those of tenants.
 */
final class RiskPrefilter {
  private static final byte UNKNOWN = 0;
  private static final byte WITHIN = 1;
  private static final byte EXCEEDED = 2;

  private final RiskCheck check;
  private final TenantKinds all;
  private final Newcomer newcomer;
  private final boolean mayBind;
  private byte[] verdicts = new byte[64];

  RiskPrefilter(RiskCheck check, TenantKinds all, Newcomer newcomer) {
    this.check = check;
    this.all = all;
    this.newcomer = newcomer;
    mayBind = check.mayBind(newcomer.limits().risk(), newcomer.namespace());
  }

  boolean surelyRefuses(IndexedGpu gpu) {
    if (!mayBind) {
      return false;
    }
    for (Kind kind : gpu.kinds().get(all, gpu.gpu())) {
      if (verdict(kind) == EXCEEDED) {
        return true;
      }
    }
    return false;
  }

  private byte verdict(Kind kind) {
    int number = kind.number();
    if (number >= verdicts.length) {
      verdicts = Arrays.copyOf(verdicts, 2 * number);
    }
    if (verdicts[number] == UNKNOWN) {
      verdicts[number] = isExceeded(kind) ? EXCEEDED : WITHIN;
    }
    return verdicts[number];
  }

  private boolean isExceeded(Kind kind) {
    Member own = check.member(kind.product(), newcomer);
    return check.exceeds(kind.product(), own, check.member(kind.product(), kind.one()));
  }
}

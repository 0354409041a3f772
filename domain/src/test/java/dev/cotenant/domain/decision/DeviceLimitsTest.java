package dev.cotenant.domain.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Slowdown;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeviceLimitsTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final DeviceId T4 = new DeviceId("t4");
  private static final SharingLimits STRICT = limits(1.05);

  private static SharingLimits limits(double slowdown) {
    return SharingLimits.DEFAULT.withTenants(2).withSlowdown(Slowdown.ofRatio(slowdown));
  }

  @Test
  void areThoseOfTheProductWhereItHasItsOwn() {
    DeviceLimits limits = new DeviceLimits(SharingLimits.DEFAULT, Map.of(T4, STRICT));

    assertThat(limits.on(T4)).isEqualTo(STRICT);
    assertThat(limits.on(A100)).isEqualTo(SharingLimits.DEFAULT);
    assertThat(DeviceLimits.of(STRICT).on(A100)).isEqualTo(STRICT);
  }

  /** 1.10 is stricter than the 1.15 that holds elsewhere, and kinder than the T4's 1.05. */
  @Test
  void onlyEverTightenOnEveryProduct() {
    DeviceLimits limits =
        new DeviceLimits(SharingLimits.DEFAULT, Map.of(T4, STRICT))
            .withSlowdownAtMost(Slowdown.ofRatio(1.1));

    assertThat(limits.on(T4)).isEqualTo(STRICT);
    assertThat(limits.on(A100))
        .isEqualTo(SharingLimits.DEFAULT.withSlowdownAtMost(Slowdown.ofRatio(1.1)));
  }

  @Test
  void doNotChangeWithTheMapTheyWereMadeOf() {
    Map<DeviceId, SharingLimits> exceptions = new HashMap<>(Map.of(T4, STRICT));
    DeviceLimits limits = new DeviceLimits(SharingLimits.DEFAULT, exceptions);
    exceptions.clear();

    assertThat(limits.on(T4)).isEqualTo(STRICT);
  }
}

package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index finds exactly the GPUs that asking every GPU finds. */
class TranscriptionTest {
  @Test
  void plansFleetsOfFewKindsAsThePaperSays() {
    for (long seed = 0; seed < 40; seed++) {
      agree(RandomFleets.published(sizeOf(seed), seed), seed);
    }
  }

  @Test
  void plansFleetsWhereNoTwoAreAlikeAsThePaperSays() {
    for (long seed = 0; seed < 40; seed++) {
      agree(RandomFleets.continuous(sizeOf(seed), seed), seed);
    }
  }

  @Test
  void plansInFineUnitsAsThePaperSays() {
    for (long seed = 0; seed < 6; seed++) {
      DeviceProfile v100 = Fleets.BOOK.requireDevice(Fleets.V100);
      DeviceType fine = Fleets.v100(Fleets.with(v100, v100.maxPowerWatts(), 0.5));
      agree(RandomFleets.continuous(150, seed).on(List.of(fine)), seed);
    }
  }

  @Test
  void plansWherePowerIsShortAsThePaperSays() {
    for (long seed = 0; seed < 10; seed++) {
      DeviceProfile v100 = Fleets.BOOK.requireDevice(Fleets.V100);
      DeviceType weak = Fleets.v100(Fleets.with(v100, 180, 2.5));
      agree(RandomFleets.published(200, seed).on(List.of(weak)), seed);
    }
  }

  private static int sizeOf(long seed) {
    return 1 + new Random(seed).nextInt(300);
  }

  private static void agree(Fleet random, long seed) {
    assertThat(Fleets.text(IgniterPlanner.IGNITER.plan(random)))
        .as("seed " + seed)
        .isEqualTo(Fleets.text(new TranscribedIgniter().plan(random)));
  }
}

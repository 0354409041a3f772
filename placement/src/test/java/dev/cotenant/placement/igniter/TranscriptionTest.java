package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index finds exactly the GPUs that asking every GPU finds. */
class TranscriptionTest {
  @Test
  void plansFleetsOfFewKindsAsThePaperSays() {
    for (long seed = 0; seed < 40; seed++) {
      agree(Fleets.v100(1_000_000), RandomFleets.published(sizeOf(seed), seed), seed);
    }
  }

  @Test
  void plansFleetsWhereNoTwoAreAlikeAsThePaperSays() {
    for (long seed = 0; seed < 40; seed++) {
      agree(Fleets.v100(1_000_000), RandomFleets.continuous(sizeOf(seed), seed), seed);
    }
  }

  @Test
  void plansInFineUnitsAsThePaperSays() {
    for (long seed = 0; seed < 6; seed++) {
      DeviceProfile v100 = Fleets.BOOK.requireDevice(Fleets.V100);
      DeviceType fine = Fleets.v100(Fleets.with(v100, v100.maxPowerWatts(), 0.5));
      agree(fine, RandomFleets.continuous(150, seed), seed);
    }
  }

  @Test
  void plansWherePowerIsShortAsThePaperSays() {
    for (long seed = 0; seed < 10; seed++) {
      DeviceProfile v100 = Fleets.BOOK.requireDevice(Fleets.V100);
      DeviceType weak = Fleets.v100(Fleets.with(v100, 180, 2.5));
      agree(weak, RandomFleets.published(200, seed), seed);
    }
  }

  private static int sizeOf(long seed) {
    return 1 + new Random(seed).nextInt(300);
  }

  private static void agree(DeviceType type, List<Service> services, long seed) {
    Fleet fleet =
        Fleets.of(
            List.of(type),
            services.stream().filter(s -> TranscribedIgniter.fits(type, s)).toList());
    assertThat(Fleets.text(new IgniterPlanner().plan(fleet)))
        .as("seed " + seed)
        .isEqualTo(Fleets.text(new TranscribedIgniter().plan(fleet)));
  }
}

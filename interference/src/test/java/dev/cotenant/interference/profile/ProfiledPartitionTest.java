package dev.cotenant.interference.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Share;
import org.junit.jupiter.api.Test;

class ProfiledPartitionTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();

  private static ProfiledPartition partition(double unitPercent, double percent) {
    DeviceProfile device =
        new DeviceProfile("t4", 70, 1590, 20, 1e7, -5, 0.005, -0.009, unitPercent);
    return new ProfiledPartition(
        BOOK.workload("vgg19").orElseThrow(), device, 8, Share.ofPercent(percent));
  }

  /** MPS takes whole percents: what is granted is found again from what was written. */
  @Test
  void isFoundFromItsMpsLimit() {
    for (double unit : new double[] {0.1, 0.9, 1, 1.3, 2.5, 7.1, 33.3, 100}) {
      Share step = partition(unit, 100).device().shareStep();
      for (int steps = 1; steps * step.permille() <= 1000; steps++) {
        ProfiledPartition granted = partition(unit, 100).in(step.times(steps));
        Share written = Share.ofPercent(Math.ceil(granted.share().percent()));
        if (!written.equals(Share.WHOLE)) {
          assertThat(partition(unit, 100).within(written)).as("unit " + unit).isEqualTo(granted);
        }
      }
    }
  }

  /** Of a profile with other steps, or of a release with other ones. */
  @Test
  void isTheLimitItselfWhereNoStepHasIt() {
    assertThat(partition(2.5, 10).within(Share.WHOLE).share()).isEqualTo(Share.WHOLE);
    assertThat(partition(3, 10).within(Share.ofPercent(10)).share()).isEqualTo(Share.ofPercent(10));
    assertThat(partition(7, 10).within(Share.ofPercent(1)).share()).isEqualTo(Share.ofPercent(1));
  }
}

package dev.cotenant.interference.risk;

import static dev.cotenant.interference.risk.Jobs.LARGE;
import static dev.cotenant.interference.risk.Jobs.LIMIT;
import static dev.cotenant.interference.risk.Jobs.SMALL;
import static dev.cotenant.interference.risk.Jobs.THIRD;
import static dev.cotenant.interference.risk.Jobs.beside;
import static dev.cotenant.interference.risk.Jobs.speed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.learning.file.FileFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RiskModelFileTest {
  private static final String NAME = "pairs.model";

  private static RiskModel model() {
    RiskModel model = new RiskModel(Jobs.prior());
    for (int i = 0; i < 7; i++) {
      model.learn(speed(0.8 + 0.01 * i, SMALL, LARGE));
      model.learn(speed(0.9 + 0.01 * i, LARGE, SMALL, THIRD));
    }
    return model;
  }

  private static RiskModel read(byte[] bytes) {
    return RiskModelFile.read(bytes, NAME, RiskPrior.Mean.NONE);
  }

  @Test
  void aFileHasWhatWasMeasured() {
    RiskModel model = model();
    RiskModel read = read(RiskModelFile.write(model));

    assertThat(read.prior().deviations()).isEqualTo(model.prior().deviations());
    assertThat(read.isMeasured(beside(LARGE, THIRD, SMALL))).isTrue();
    assertThat(read.isMeasured(beside(LARGE, THIRD))).isFalse();
    model.compact();
    assertThat(read.risk(beside(THIRD, LARGE), LIMIT))
        .isCloseTo(model.risk(beside(THIRD, LARGE), LIMIT), within(1e-9));
    assertThat(RiskModelFile.write(read)).isEqualTo(RiskModelFile.write(model));
  }

  @Test
  void everyDamageIsNamed() {
    byte[] file = RiskModelFile.write(model());
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = file.clone();
      damaged[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
      assertRefused(damaged);
      assertRefused(Arrays.copyOf(file, random.nextInt(file.length)));
    }
  }

  private static void assertRefused(byte[] bytes) {
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith(NAME + " ");
  }

  /** Checksums match: whoever writes files can make them match. */
  @Test
  void impossibleContentIsNamed() {
    FileFormat format = new FileFormat("COTI", 1, RiskModelFile.MAX_BYTES);
    byte[] otherEffects = format.write(out -> out.writeTexts(List.of("GRAVITY")));
    byte[] negative =
        format.write(out -> {
          out.writeTexts(Deviations.fitted().stream().map(Effect::name).toList());
          for (int i = 0; i < Deviations.fitted().size() + 2 * UsageScale.PRODUCTS; i++) {
            out.writeDouble(-1);
          }
        });
    byte[] endless =
        format.write(out -> {
          out.writeTexts(Deviations.fitted().stream().map(Effect::name).toList());
          for (int i = 0; i < Deviations.fitted().size() + 2 * UsageScale.PRODUCTS; i++) {
            out.writeDouble(1);
          }
          out.writeInt(Integer.MAX_VALUE);
        });

    assertThatThrownBy(() -> read(otherEffects)).hasMessageContaining("other effects");
    assertThatThrownBy(() -> read(negative)).hasMessageContaining("means and deviations");
    assertThatThrownBy(() -> read(endless)).hasMessageContaining("larger than the file");
    assertThatThrownBy(() -> read(new byte[RiskModelFile.MAX_BYTES + 1]))
        .hasMessageContaining("larger than");
  }
}

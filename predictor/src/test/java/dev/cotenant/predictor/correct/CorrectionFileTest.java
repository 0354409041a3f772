package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.train.TrainingProgress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class CorrectionFileTest {
  private static final List<ProfileRow> ROWS = Clusters.steps(250, new Random(5));
  private static final byte[] FILE =
      CorrectionFile.write(
          new CorrectionTrainer(Clusters.DEVICES, TrainingProgress.SILENT)
              .train(Clusters.FLAT, Clusters.BASE, ROWS)
              .correction());

  private static String code(byte[] bytes) {
    try {
      CorrectionFile.read(bytes, "the file");
      return "none";
    } catch (InputException e) {
      assertThat(e.getMessage()).startsWith("the file: ").hasLineCount(1);
      return e.code();
    }
  }

  /** The file with another number at a place, under the checksum that fits. */
  private static byte[] forged(int place, int number) {
    byte[] file = FILE.clone();
    ByteBuffer.wrap(file).putInt(place, number);
    CRC32 checksum = new CRC32();
    checksum.update(file, 0, file.length - Integer.BYTES);
    ByteBuffer.wrap(file).putInt(file.length - Integer.BYTES, (int) checksum.getValue());
    return file;
  }

  @Test
  void readsWhatItWrites() {
    Correction read = CorrectionFile.read(FILE, "the file");
    assertThat(CorrectionFile.write(read)).isEqualTo(FILE);
    assertThat(read.base()).isEqualTo(Clusters.BASE);
    assertThat(CorrectionFile.label(FILE)).matches("corrected-2-[0-9a-f]{12}");
  }

  @Test
  void refusesWhatIsNone() {
    assertThat(code(new byte[0])).isEqualTo("not-a-correction");
    assertThat(code("cotenant-forest 1\n".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("not-a-correction");
    assertThat(code(new byte[CorrectionFile.MAX_BYTES + 1])).isEqualTo("correction-too-large");
  }

  @Test
  void refusesANewerFormatByName() {
    assertThat(code(forged(Integer.BYTES, 3))).isEqualTo("newer-correction");
  }

  @Test
  void refusesEveryCutAndEveryFlippedBit() {
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      assertThat(code(java.util.Arrays.copyOf(FILE, random.nextInt(FILE.length))))
          .isNotEqualTo("none");
      byte[] flipped = FILE.clone();
      flipped[random.nextInt(FILE.length - 1)] ^= (byte) (1 << random.nextInt(7));
      assertThat(code(flipped)).isNotEqualTo("none");
    }
  }

  /** Whatever numbers it holds, it is read or refused. */
  @Test
  void refusesContentThatMakesNoSenseThoughItsChecksumFits() {
    Random random = new Random(7);
    int refused = 0;
    for (int trial = 0; trial < 3000; trial++) {
      int place = 12 + random.nextInt(FILE.length - 12 - 36 - 4);
      String code = code(forged(place, random.nextInt()));
      assertThat(code).isIn("none", "damaged-correction");
      refused += code.equals("none") ? 0 : 1;
    }
    assertThat(refused).isGreaterThan(100);
    int base = 12 + Integer.BYTES;
    assertThat(code(forged(base, 0x7a7a7a7a)))
        .as("the base's hash")
        .isEqualTo("damaged-correction");
  }

  @Test
  void servesOnlyTheBaseItWasMadeFor() {
    Correction correction = CorrectionFile.read(FILE, "the file");
    assertThatThrownBy(() -> new CorrectionLayer("cd".repeat(32), correction, "c"))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("wrong-base"));
  }
}

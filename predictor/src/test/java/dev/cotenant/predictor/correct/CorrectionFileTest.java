package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CorrectionFileTest {
  private static final List<ProfileRow> ROWS = Clusters.steps(250, new Random(5));
  private static final byte[] FILE =
      CorrectionFile.write(
          new CorrectionTrainer(Clusters.DEVICES, CorrectionProgress.SILENT)
              .train(Clusters.FLAT, Clusters.BASE, ROWS, Instant.parse("2026-11-21T12:00:00Z")));

  private static String code(byte[] bytes) {
    try {
      CorrectionFile.read(bytes, "the file");
      return "none";
    } catch (InputException e) {
      assertThat(e.getMessage()).startsWith("the file: ").hasLineCount(1);
      return e.code();
    }
  }

  private static byte[] edited(String what, String by) {
    String text = new String(FILE, StandardCharsets.UTF_8);
    return text.replaceFirst(what, by).getBytes(StandardCharsets.UTF_8);
  }

  /** As {@link #edited}, with the checksum that fits. */
  private static byte[] forged(String what, String by) {
    String text = new String(edited(what, by), StandardCharsets.UTF_8);
    String body = text.substring(0, text.lastIndexOf("sha256 "));
    String sum = CorrectionFile.sha256(body.getBytes(StandardCharsets.UTF_8));
    return (body + "sha256 " + sum + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void readsWhatItWrites() {
    Correction read = CorrectionFile.read(FILE, "the file");
    assertThat(CorrectionFile.write(read)).isEqualTo(FILE);
    assertThat(read.base()).isEqualTo(Clusters.BASE);
    assertThat(CorrectionFile.label(FILE)).matches("corrected-1-[0-9a-f]{12}");
  }

  @Test
  void readsTheFirstFormatThatWasReleased() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(CorrectionFileTest.class.getResourceAsStream("correction-1.txt"))) {
      Correction read = CorrectionFile.read(in.readAllBytes(), "correction-1.txt");
      assertThat(read.base()).isEqualTo(Clusters.BASE);
      assertThat(read.runs(CorrectedTarget.UTILIZATION)).isEqualTo(250);
      assertThat(read.shifts(CorrectedTarget.UTILIZATION)).isTrue();
      assertThat(read.figures())
          .containsKeys("utilization_rmsle_before", "utilization_rmsle_after");
    }
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
    assertThat(code(edited("cotenant-correction 1", "cotenant-correction 3")))
        .isEqualTo("newer-correction");
    assertThat(code(edited("cotenant-correction 1", "cotenant-correction x")))
        .isEqualTo("damaged-correction");
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

  @Test
  void refusesContentThatMakesNoSenseThoughItsChecksumFits() {
    assertThat(code(forged("models [0-9]+", "models 99999999"))).isEqualTo("damaged-correction");
    assertThat(code(forged("models [0-9]+", "models x"))).isEqualTo("damaged-correction");
    assertThat(code(forged("base [0-9a-f]+", "base 12"))).isEqualTo("damaged-correction");
    assertThat(code(forged("trained-at .*", "trained-at noon"))).isEqualTo("damaged-correction");
    assertThat(code(forged("target memory", "target power"))).isEqualTo("damaged-correction");
    assertThat(code(forged("nodes [0-9]+", "nodes 0"))).isEqualTo("damaged-correction");
    assertThat(code(forged("runs 250 [0-9.]+", "runs 250 NaN"))).isEqualTo("damaged-correction");
  }

  @Test
  void servesOnlyTheBaseItWasMadeFor() {
    Correction correction = CorrectionFile.read(FILE, "the file");
    assertThatThrownBy(
            () -> new CorrectedPredictor(Clusters.FLAT, "cd".repeat(32), correction, "c"))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("wrong-base"));
  }
}

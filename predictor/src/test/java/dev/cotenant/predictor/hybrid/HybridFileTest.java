package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class HybridFileTest {
  private static final int HEADER = 12;
  private static final int DIGEST = 32;
  private static final int CHECKSUM = 4;
  private static final byte[] FILE =
      new HybridTrainer(DeviceCatalogue.builtIn(), TrainingSettings.standard(1))
          .train(List.of(SyntheticRuns.result(120, "a100-40gb", 5)), TrainingProgress.SILENT)
          .toBytes();

  @Test
  void answersTheSameAfterAnotherReading() {
    Predictor once = Predictor.ofBytes(FILE, "once");
    Predictor twice = Predictor.ofBytes(FILE.clone(), "twice");
    for (ProfileRow row : SyntheticRuns.result(50, "a100-40gb", 9).rows()) {
      var device = DeviceCatalogue.builtIn().require(row.device().value());
      assertThat(twice.predict(row.features(), row.settings(), device))
          .isEqualTo(once.predict(row.features(), row.settings(), device));
    }
  }

  /** Whoever signs nonsense gets an answer or a clear refusal, never another exception. */
  @Test
  void survivesRandomPayloadsUnderAValidChecksum() throws NoSuchAlgorithmException {
    Random random = new Random(17);
    for (int trial = 0; trial < 400; trial++) {
      byte[] mutated = FILE.clone();
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        int place = HEADER + random.nextInt(Math.min(4000, end(mutated) - HEADER - 4));
        ByteBuffer.wrap(mutated).putInt(place, random.nextInt());
      }
      try {
        Predictor.ofBytes(signed(mutated), "mutated");
      } catch (InputException refused) {
        assertThat(refused.code()).startsWith("predictor-");
      }
    }
  }

  /** One of these places is that of an instant, which no calendar would have. */
  @Test
  void survivesTheGreatestNumbersAtTheBeginningOfItsPayload() throws NoSuchAlgorithmException {
    for (int place = HEADER; place < HEADER + 400; place++) {
      for (int nanos : new int[] {Integer.MAX_VALUE, -1, 999_999_999}) {
        byte[] mutated = FILE.clone();
        ByteBuffer.wrap(mutated).putLong(place, Long.MAX_VALUE).putInt(place + 8, nanos);
        try {
          Predictor.ofBytes(signed(mutated), "mutated");
        } catch (InputException refused) {
          assertThat(refused.code()).startsWith("predictor-");
        }
      }
    }
  }

  @Test
  void refusesAFileThatEndsEarly() {
    for (int length : new int[] {0, 5, HEADER, HEADER + 100, FILE.length / 2, FILE.length - 1}) {
      assertThatThrownBy(() -> Predictor.ofBytes(Arrays.copyOf(FILE, length), "cut.model"))
          .isInstanceOf(InputException.class)
          .hasMessageContaining("cut.model");
    }
  }

  @Test
  void isNamedByTheDigestThatIsInIt() throws NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(FILE, end(FILE)));
    assertThat(Arrays.copyOfRange(FILE, end(FILE), end(FILE) + DIGEST)).isEqualTo(digest);
    assertThat(Predictor.ofBytes(FILE, "once").version())
        .isEqualTo("hybrid-3-" + HexFormat.of().formatHex(digest).substring(0, 12));
  }

  @Test
  void refusesAnotherVersionAndSaysSo() {
    byte[] newer = FILE.clone();
    ByteBuffer.wrap(newer).putInt(Integer.BYTES, 4);
    assertThatThrownBy(() -> Predictor.ofBytes(newer, "newer.model"))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("predictor-too-new"))
        .hasMessageStartingWith("newer.model has format version 4");
  }

  @Test
  void refusesAFileThatIsTooLarge() {
    assertThatThrownBy(() -> Predictor.ofBytes(new byte[(64 << 20) + 1], "large.model"))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> assertThat(e.kind()).isEqualTo(InputException.Kind.TOO_LARGE));
  }

  @Test
  void refusesEveryDamagedByte() {
    for (int place = 0; place < FILE.length; place += 1 + place / 50) {
      byte[] damaged = FILE.clone();
      damaged[place] ^= 0x10;
      assertThatThrownBy(() -> Predictor.ofBytes(damaged, "damaged.model"))
          .isInstanceOf(InputException.class);
    }
  }

  /** Where the payload ends. */
  private static int end(byte[] file) {
    return file.length - DIGEST - CHECKSUM;
  }

  private static byte[] signed(byte[] file) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(file, 0, end(file));
    System.arraycopy(digest.digest(), 0, file, end(file), DIGEST);
    CRC32 checksum = new CRC32();
    checksum.update(file, 0, file.length - CHECKSUM);
    ByteBuffer.wrap(file).putInt(file.length - CHECKSUM, (int) checksum.getValue());
    return file;
  }
}

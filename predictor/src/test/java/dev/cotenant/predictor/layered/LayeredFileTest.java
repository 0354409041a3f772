package dev.cotenant.predictor.layered;

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
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LayeredFileTest {
  private static final int HEADER = 12;
  private static final int DIGEST = 32;
  private static final byte[] FILE =
      new LayeredTrainer(DeviceCatalogue.builtIn(), TrainingSettings.standard(1, Instant.EPOCH))
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
        int place = HEADER + random.nextInt(Math.min(4000, mutated.length - HEADER - DIGEST - 4));
        ByteBuffer.wrap(mutated).putInt(place, random.nextInt());
      }
      try {
        Predictor.ofBytes(signed(mutated), "mutated");
      } catch (InputException refused) {
        assertThat(refused.code()).startsWith("predictor-");
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

  private static byte[] signed(byte[] file) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(file, 0, file.length - DIGEST);
    System.arraycopy(digest.digest(), 0, file, file.length - DIGEST, DIGEST);
    return file;
  }
}

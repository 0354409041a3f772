package dev.cotenant.predictor.layered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.forest.ModelFileReader;
import dev.cotenant.predictor.forest.PayloadReader;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class LayeredFileTest {
  private static final int HEADER = 12;
  private static final int DIGEST = 32;
  private static final int CHECKSUM = 4;
  private static final byte[] FILE =
      new LayeredTrainer(DeviceCatalogue.builtIn(), TrainingSettings.standard(1, Instant.EPOCH))
          .train(List.of(SyntheticRuns.result(120, "a100-40gb", 5)), TrainingProgress.SILENT)
          .toBytes();

  private static final ModelFeatures RESNET_LIKE =
      new ModelFeatures(
          new LayerCounts(20, 1, 17, 30),
          20,
          11_700_000,
          MemorySize.ofBytes(46_800_000),
          32L * 1_814_000_000L,
          MemorySize.ofMiB(701),
          MemorySize.ofBytes(32L * 602_112),
          32);

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

  @Test
  void refusesAFileThatEndsEarly() {
    for (int length : new int[] {0, 5, HEADER, HEADER + 100, FILE.length / 2, FILE.length - 1}) {
      assertThatThrownBy(() -> Predictor.ofBytes(Arrays.copyOf(FILE, length), "cut.model"))
          .isInstanceOf(InputException.class)
          .hasMessageContaining("cut.model");
    }
  }

  /** Written by the release before the doubt of priors; its answers are of that release. */
  @Test
  void filesOfSchemaTwoAnswerAsTheyDid() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("schema-2.model"))) {
      Predictor old = Predictor.ofBytes(in.readAllBytes(), "schema-2.model");
      assertThat(old.version()).isEqualTo("layers-2-5b0af67e3036");
      Prediction known = old.predict(RESNET_LIKE, RunSettings.DEFAULT, device("rtx-2080ti"));
      assertThat(known.utilization().toString())
          .contains("mean=70.2 %", "lower=52.8 %", "upper=90.7 %");
      assertThat(known.peakMemory().toString())
          .contains("mean=2.32 GiB", "lower=1.65 GiB", "upper=3.01 GiB");
      Prediction unknown = old.predict(RESNET_LIKE, RunSettings.DEFAULT, device("h100-80gb"));
      assertThat(unknown.utilization().toString())
          .contains("mean=51.0 %", "lower=40.1 %", "upper=63.4 %");
      assertThat(unknown.peakMemory().toString())
          .contains("mean=2.15 GiB", "lower=1.8 GiB", "upper=2.46 GiB");
    }
  }

  /** Written by the release that told memory from outputs of layers; the answers are its own. */
  @Test
  void filesOfSchemaThreeAnswerAsTheyDid() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("schema-3.model"))) {
      Predictor old = Predictor.ofBytes(in.readAllBytes(), "schema-3.model");
      assertThat(old.version()).isEqualTo("layers-2-6720d3aa8d3d");
      Prediction known = old.predict(RESNET_LIKE, RunSettings.DEFAULT, device("rtx-2080ti"));
      assertThat(known.utilization().toString())
          .contains("mean=93.4 %", "lower=89.7 %", "upper=97.3 %");
      assertThat(known.peakMemory().toString())
          .contains("mean=2.59 GiB", "lower=2.51 GiB", "upper=2.68 GiB");
      Prediction unknown = old.predict(RESNET_LIKE, RunSettings.DEFAULT, device("h100-80gb"));
      assertThat(unknown.utilization().toString())
          .contains("mean=75.0 %", "lower=68.3 %", "upper=83.8 %");
      assertThat(unknown.peakMemory().toString())
          .contains("mean=2.81 GiB", "lower=433.21 MiB", "upper=23.19 GiB");
    }
  }

  /** Written by the release that stored trees as splits and thresholds; the answers are its own. */
  @Test
  void filesOfSchemaFourAnswerAsTheyDid() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("schema-4.model"))) {
      Predictor old = Predictor.ofBytes(in.readAllBytes(), "schema-4.model");
      assertThat(old.version()).isEqualTo("layers-2-2a3e6a3f59fb");
      ModelFeatures keeping =
          RESNET_LIKE.with(new BackwardMemory(MemorySize.ofMiB(500), MemorySize.ofMiB(100)));
      Prediction known = old.predict(keeping, RunSettings.DEFAULT, device("rtx-2080ti"));
      assertThat(known.utilization().toString())
          .contains("mean=91.2 %", "lower=87.6 %", "upper=94.6 %");
      assertThat(known.peakMemory().toString())
          .contains("mean=2.76 GiB", "lower=2.66 GiB", "upper=2.85 GiB");
      Prediction unknown = old.predict(keeping, RunSettings.DEFAULT, device("h100-80gb"));
      assertThat(unknown.utilization().toString())
          .contains("mean=71.5 %", "lower=62.0 %", "upper=83.5 %");
      assertThat(unknown.peakMemory().toString())
          .contains("mean=3.62 GiB", "lower=1.85 GiB", "upper=9.61 GiB");
    }
  }

  /** A model that learnt before answers alike when it is written anew; older ones are not. */
  @Test
  void writesModelsOfSchemaFourAnew() throws IOException {
    LayeredModel old = read("schema-4.model");
    Predictor before = Predictor.ofBytes(bytes("schema-4.model"), "before");
    Predictor after = Predictor.ofBytes(LayeredFile.toBytes(old), "after");
    assertThat(after.version()).startsWith("layers-3-");
    for (ProfileRow row : SyntheticRuns.result(50, "a100-40gb", 9).rows()) {
      Prediction anew = after.predict(row.features(), row.settings(), device("a100-40gb"));
      Prediction known = before.predict(row.features(), row.settings(), device("a100-40gb"));
      assertThat(anew.utilization()).isEqualTo(known.utilization());
      assertThat(anew.peakMemory()).isEqualTo(known.peakMemory());
    }
    LayeredModel older = read("schema-3.model");
    assertThatThrownBy(() -> LayeredFile.toBytes(older))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isNamedByTheDigestThatIsInIt() throws NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(FILE, end(FILE)));
    assertThat(Arrays.copyOfRange(FILE, end(FILE), end(FILE) + DIGEST)).isEqualTo(digest);
    assertThat(Predictor.ofBytes(FILE, "once").version())
        .isEqualTo("layers-3-" + HexFormat.of().formatHex(digest).substring(0, 12));
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

  private static byte[] bytes(String fixture) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(LayeredFileTest.class.getResourceAsStream(fixture))) {
      return in.readAllBytes();
    }
  }

  private static LayeredModel read(String fixture) throws IOException {
    return ModelFileReader.parse(
        bytes(fixture),
        fixture,
        new ModelFileReader.Versions<LayeredModel>() {
          @Override
          public LayeredModel forests(PredictorModel model) {
            throw new IllegalArgumentException("forests");
          }

          @Override
          public LayeredModel layers(PayloadReader payload) {
            return LayeredFile.read(payload);
          }
        });
  }

  private static Device device(String id) {
    return DeviceCatalogue.builtIn().require(id);
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

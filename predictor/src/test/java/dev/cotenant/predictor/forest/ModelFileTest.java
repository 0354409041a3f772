package dev.cotenant.predictor.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFileTest {
  private static final int VERSION_OFFSET = 4;
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final DeviceId RTX = new DeviceId("rtx-2080ti");

  private static PredictorModel model() {
    return new PredictorModel(
        target(Target.UTILIZATION),
        target(Target.PEAK_MEMORY),
        new TrainingRanges(Map.of(A100, hull(30), RTX, hull(94))),
        MemorySize.ofMiB(1440),
        new Provenance(
            List.of(new Provenance.DataSet("gpumemnet", "ab".repeat(32), 10, 9, 1)),
            List.of(A100, RTX),
            List.of("cnn", "mlp"),
            42,
            List.of("utilization: größer", "memory: small"),
            Coverage.of(0.9),
            Instant.parse("2026-01-02T03:04:05.000000006Z")));
  }

  private static Hull hull(int convolutions) {
    float[] highest = new float[Feature.count()];
    highest[0] = convolutions;
    return new Hull(new float[Feature.count()], highest);
  }

  private static TargetModel target(Target target) {
    ForestBuilder builder = new ForestBuilder();
    builder.split(3, 1.5f);
    builder.leaf(1);
    builder.leaf(2);
    return new TargetModel(
        target,
        builder.build(1),
        new ResidualQuantiles(-1, 1),
        new ResidualQuantiles(-3, 3),
        new BoundCoverage(Coverage.of(0.9), Coverage.of(0.5), null));
  }

  private static byte[] bytes() {
    return ModelFileWriter.toBytes(model());
  }

  private static void assertRefused(byte[] bytes, String code) {
    assertThatThrownBy(() -> parse(bytes, "x.forest"))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.getMessage()).startsWith("x.forest ").doesNotContain("\n");
            });
  }

  private static PredictorModel parse(byte[] bytes, String name) {
    return ModelFileReader.parse(
        bytes,
        name,
        new ModelFileReader.Versions<PredictorModel>() {
          @Override
          public PredictorModel forests(PredictorModel model) {
            return model;
          }

          @Override
          public PredictorModel layers(PayloadReader payload) {
            throw new IllegalArgumentException("layers where forests were expected");
          }
        });
  }

  @Test
  void givesBackWhatWasWrittenToTheByte() {
    PredictorModel read = parse(bytes(), "x.forest");
    assertThat(read.provenance()).isEqualTo(model().provenance());
    assertThat(read.contextMemory()).isEqualTo(MemorySize.ofMiB(1440));
    assertThat(read.memory().novel()).isEqualTo(new ResidualQuantiles(-3, 3));
    assertThat(read.memory().coverage()).isEqualTo(model().memory().coverage());
    assertThat(read.ranges().devices()).containsExactly(A100, RTX);
    assertThat(ModelFileWriter.toBytes(read)).isEqualTo(bytes());
  }

  @Test
  void refusesEveryTruncation() {
    byte[] whole = bytes();
    for (int length = 0; length < whole.length; length++) {
      assertRefused(
          Arrays.copyOf(whole, length),
          length < ModelFileFormat.HEADER_BYTES ? "not-a-predictor" : "predictor-damaged");
    }
    assertRefused(Arrays.copyOf(whole, whole.length + 1), "predictor-damaged");
  }

  @Test
  void refusesEveryFlippedByte() {
    for (int position = 0; position < bytes().length; position++) {
      byte[] flipped = bytes();
      flipped[position] ^= 0x40;
      assertThatThrownBy(() -> parse(flipped, "x.forest")).isInstanceOf(InputException.class);
    }
  }

  @Test
  void refusesNewerVersionsAndSaysSo() {
    byte[] newer = bytes();
    ByteBuffer.wrap(newer).putInt(VERSION_OFFSET, 4);
    assertRefused(newer, "predictor-too-new");
    byte[] newerSchema = bytes();
    ByteBuffer.wrap(newerSchema).putInt(ModelFileFormat.HEADER_BYTES, 2);
    assertRefused(signed(newerSchema), "predictor-too-new");
  }

  @Test
  void refusesAbsurdCountsUnderAValidChecksum() {
    byte[] absurd = bytes();
    ByteBuffer.wrap(absurd).putInt(ModelFileFormat.HEADER_BYTES + 4, Integer.MAX_VALUE);
    assertRefused(signed(absurd), "predictor-damaged");
  }

  @Test
  void refusesMoreDevicesThanTheFileHasRangesFor() {
    byte[] file = bytes();
    // 1,000,000 devices of at least 4 bytes each are more than the file has
    ByteBuffer.wrap(file).putInt(place(file, "a100-40gb") - 8, 1_000_000);
    assertRefused(signed(file), "predictor-damaged");
    // 400 devices of 5 bytes would fit, their 400 x 12 ranges of 8 bytes would not
    assertRefused(ofDevices(400), "predictor-damaged");
    assertRefused(ofDevices(0), "predictor-damaged");
  }

  /** The same file with so many devices, a000, a001 and so on, and the ranges of two. */
  private static byte[] ofDevices(int count) {
    byte[] whole = bytes();
    int from = place(whole, "a100-40gb") - 8;
    int to = place(whole, "rtx-2080ti") + "rtx-2080ti".length();
    int end = whole.length - ModelFileFormat.DIGEST_BYTES;
    ByteBuffer file = ByteBuffer.allocate(whole.length - (to - from) + 4 + 8 * count);
    file.put(whole, 0, from).putInt(count);
    for (int i = 0; i < count; i++) {
      file.putInt(4).put("a%03d".formatted(i).getBytes(StandardCharsets.UTF_8));
    }
    file.put(whole, to, end - to);
    int payload = file.position() - ModelFileFormat.HEADER_BYTES;
    file.putInt(VERSION_OFFSET + 4, payload);
    return signed(file.array());
  }

  @Test
  void refusesDevicesThatAreDoubledOrOutOfOrder() {
    // a100-40gb is put behind rtx-2080ti by its first letter, with the length of both unchanged
    byte[] disordered = bytes();
    disordered[place(disordered, "a100-40gb")] = 'z';
    assertRefused(signed(disordered), "predictor-damaged");
    assertThatThrownBy(() -> withDevices(List.of(A100, A100)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static PredictorModel withDevices(List<DeviceId> devices) {
    PredictorModel model = model();
    Provenance from = model.provenance();
    return new PredictorModel(
        model.utilization(),
        model.memory(),
        model.ranges(),
        model.contextMemory(),
        new Provenance(
            from.dataSets(),
            devices,
            from.families(),
            from.seed(),
            from.settings(),
            from.coverage(),
            from.trainedAt()));
  }

  @Test
  void refusesRangesThatAreReversedOrNoNumbers() {
    byte[] file = bytes();
    // provenance, context bytes (8), feature count (4), lowest and highest of the first feature
    int first = place(file, "2026-01-02T03:04:05.000000006Z") + 30 + 8 + 4;
    assertThat(ByteBuffer.wrap(file).getFloat(first + 4)).isEqualTo(30);
    ByteBuffer.wrap(file).putFloat(first, 31);
    assertRefused(signed(file), "predictor-damaged");
    ByteBuffer.wrap(file).putFloat(first, Float.NaN);
    assertRefused(signed(file), "predictor-damaged");
  }

  /** Where a text begins in a file. */
  private static int place(byte[] file, String text) {
    return new String(file, StandardCharsets.ISO_8859_1).indexOf(text);
  }

  /** Whoever signs nonsense gets an answer, never another exception or an endless loop. */
  @Test
  void survivesRandomPayloadsUnderAValidChecksum() {
    Random random = new Random(11);
    for (int trial = 0; trial < 5000; trial++) {
      byte[] mutated = bytes();
      int payload = mutated.length - ModelFileFormat.HEADER_BYTES - ModelFileFormat.DIGEST_BYTES;
      for (int i = 0; i <= trial % 4; i++) {
        int place = ModelFileFormat.HEADER_BYTES + random.nextInt(payload);
        mutated[place] = (byte) random.nextInt(256);
      }
      try {
        parse(signed(mutated), "x.forest");
      } catch (InputException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  private static byte[] signed(byte[] file) {
    int end = file.length - ModelFileFormat.DIGEST_BYTES;
    byte[] digest = ModelFileFormat.sha256().digest(Arrays.copyOf(file, end));
    System.arraycopy(digest, 0, file, end, digest.length);
    return file;
  }

  @Test
  void namesAFileThatIsMissingOrAFolder(@TempDir Path folder) {
    assertThatThrownBy(() -> ModelFileReader.readBytes(folder.resolve("none.forest")))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> assertThat(e.kind()).isEqualTo(InputException.Kind.NOT_FOUND));
    assertThatThrownBy(() -> ModelFileReader.readBytes(folder))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(folder.toString());
  }

  @Test
  void refusesATooLargeFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("large.forest");
    try (var channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.position(ModelFileFormat.MAX_FILE_BYTES).write(ByteBuffer.wrap(new byte[] {1}));
    }
    assertThatThrownBy(() -> ModelFileReader.readBytes(file))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> assertThat(e.kind()).isEqualTo(InputException.Kind.TOO_LARGE));
  }

  /**
   * As the first release writes {@link #model()}; once released, it must load for ever as it is.
   */
  @Test
  void loadsFormatVersionOne() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("predictor-version-1.forest"))) {
      PredictorModel read = parse(in.readAllBytes(), "fixture");
      assertThat(read.provenance()).isEqualTo(model().provenance());
      assertThat(ModelFileWriter.toBytes(read)).isEqualTo(bytes());
      float[] vector = new float[Feature.count()];
      assertThat(read.utilization().forest().predict(vector)).isEqualTo(1);
      vector[3] = 2;
      assertThat(read.memory().forest().predict(vector)).isEqualTo(2);
    }
  }
}

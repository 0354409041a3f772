package dev.cotenant.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxRegressorTest {
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final Device T4 = DeviceCatalogue.builtIn().require("t4");

  /** For machines under load. */
  private static final Duration UNHURRIED = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private static ModelFeatures model(int batch) {
    return new ModelFeatures(
        new LayerCounts(0, 3, 2, 0),
        0,
        1000,
        MemorySize.ofBytes(4000),
        500_000_000L * batch,
        MemorySize.ofBytes(400L * batch),
        MemorySize.ofBytes(40L * batch),
        batch);
  }

  private static Prediction shipped(int batch, Device device) {
    return Predictor.builtIn().predict(model(batch), RunSettings.DEFAULT, device);
  }

  private static Prediction ask(Regressor regressor, int batch) {
    return regressor.answer(shipped(batch, A100), model(batch), A100);
  }

  @Test
  void isFoundWhereItsJarIs() {
    assertThat(RegressorLoader.installed()).isInstanceOf(OnnxRegressorLoader.class);
  }

  @Test
  void coversDevicesThatAreNotBuiltIn() throws IOException {
    Path manifest = new RegressorFolder(folder).write(OnnxBytes.stump(16, 20, 60));
    Files.writeString(manifest, Files.readString(manifest).replace("a100-40gb", "own-card"));
    Device own =
        new Device(
            new DeviceId("own-card"),
            "Own Card",
            A100.memory(),
            A100.peak(),
            A100.bandwidthGigabytesPerSecond(),
            A100.streamingMultiprocessors(),
            A100.l2Cache(),
            A100.boardPowerWatts(),
            "test");
    DeviceCatalogue extended = DeviceCatalogue.builtIn().plus(List.of(own));

    try (Regressor regressor = new OnnxRegressorLoader(UNHURRIED).load(manifest, extended)) {
      assertThat(regressor.answer(shipped(16, own), model(16), own).utilization().mean())
          .isEqualTo(Utilization.ofPercent(20));
    }
    assertThatThrownBy(() ->
            new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn()).close())
        .hasMessageContaining("devices names 'own-card'");
  }

  @Test
  void answersWithATreeAndABoundFromAnOffset() {
    Path manifest = new RegressorFolder(folder).write(OnnxBytes.stump(16, 20, 60));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      Prediction small = ask(regressor, 16);
      Prediction large = ask(regressor, 17);

      assertThat(small.utilization().mean()).isEqualTo(Utilization.ofPercent(20));
      assertThat(large.utilization().mean()).isEqualTo(Utilization.ofPercent(60));
      // 21 · e^0.5 − 1 = 33.62; 61 · e^0.5 − 1 = 99.57, below 100.
      assertThat(small.utilization().upper().percent()).isCloseTo(33.62, within(0.01));
      assertThat(large.utilization().upper().percent()).isCloseTo(99.57, within(0.01));
      assertThat(small.utilization().lower()).isEqualTo(Utilization.IDLE);
      assertThat(small.utilization().coverage()).isEqualTo(Coverage.of(0.9));
    }
  }

  @Test
  void saysWhoAnsweredAndLeavesTheOtherTarget() {
    Path manifest = new RegressorFolder(folder).write(OnnxBytes.stump(16, 20, 60));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      Prediction before = shipped(4, A100);
      Prediction after = ask(regressor, 4);

      assertThat(regressor.version()).matches("mine-[0-9a-f]{12}");
      assertThat(after.modelVersion()).isEqualTo(before.modelVersion() + "+" + regressor.version());
      assertThat(after.peakMemory()).isEqualTo(before.peakMemory());
      assertThat(after.warnings()).last().asString().contains("regressor mine-");
    }
  }

  @Test
  void takesFeaturesInTheOrderAndScaleOfTheManifest() {
    // ln(bytes) = 1 + 2 · batch + 0.5 · log1p(FLOPs): batch 3 has 3e9 FLOPs, 7 + 0.5 · 21.82.
    Path manifest =
        new RegressorFolder(folder)
            .write(
                OnnxBytes.linear(1, 2, 0.5f),
                RegressorFolder.INPUTS,
                "log_peak_memory_bytes",
                RegressorFolder.OFFSET);
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      MemorySize mean = ask(regressor, 3).peakMemory().mean();

      double expected = 7 + 0.5 * Math.log1p(3e9);
      assertThat(Math.log((double) mean.bytes())).isCloseTo(expected, within(1e-4));
      assertThat(ask(regressor, 3).utilization()).isEqualTo(shipped(3, A100).utilization());
      // The bound is e^0.5 of it.
      assertThat((double) ask(regressor, 3).peakMemory().upper().bytes() / mean.bytes())
          .isCloseTo(Math.exp(0.5), within(1e-4));
    }
  }

  @Test
  void takesTheBoundFromASecondOutputThatIsNeverBelowTheAnswer() {
    // y = batch, z = 2 · batch where clipped above by nothing, and y = −batch below 0.
    OnnxBytes graph =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "x", "y"))
            .message(1, OnnxBytes.node("Neg", "", "x", "z"))
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1))
            .message(12, OnnxBytes.value("z", 1, 1));
    String manifest =
        """
        {format: 1, name: two, model: model.onnx, sha256: SHA256, devices: [a100],
         inputs: [{feature: batch_size}], output: {name: %s, answers: utilization_percent},
         bound: {output: %s, coverage: 0.8}, modes: [training, inference], precisions: [fp16]}
        """;
    RunSettings half = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP16);
    Prediction requested = Predictor.builtIn().predict(model(30), half, A100);
    RegressorFolder files = new RegressorFolder(folder);
    Path above = files.write(OnnxBytes.model(graph), manifest.formatted("z", "y"));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(above, DeviceCatalogue.builtIn())) {
      Prediction answer = regressor.answer(requested, model(30), A100);
      assertThat(answer.utilization().mean()).isEqualTo(Utilization.IDLE);
      assertThat(answer.utilization().upper()).isEqualTo(Utilization.ofPercent(30));
    }
    Path below = files.write(OnnxBytes.model(graph), manifest.formatted("y", "z"));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(below, DeviceCatalogue.builtIn())) {
      Prediction answer = regressor.answer(requested, model(30), A100);
      assertThat(answer.utilization().upper()).isEqualTo(Utilization.ofPercent(30));
    }
  }

  @Test
  void takesDoublesWhereTheGraphDoes() {
    OnnxBytes graph =
        OnnxBytes.graph()
            .message(1, OnnxBytes.node("Identity", "", "x", "y"))
            .message(11, OnnxBytes.value(11, "x", -1, 1))
            .message(12, OnnxBytes.value(11, "y", -1, 1));
    Path manifest =
        new RegressorFolder(folder)
            .write(
                OnnxBytes.model(graph),
                "[{feature: flops}]",
                "peak_memory_bytes",
                RegressorFolder.OFFSET);
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      // 3e9 + 2 is no float, and exact as a double.
      assertThat(ask(regressor, 3).peakMemory().mean().bytes()).isEqualTo(3_000_000_000L);
    }
  }

  @Test
  void refusesQuestionsThatItsManifestDoesNotCover() {
    Path manifest = new RegressorFolder(folder).write(OnnxBytes.stump(16, 20, 60));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      assertThatThrownBy(() -> regressor.answer(shipped(4, T4), model(4), T4))
          .isInstanceOfSatisfying(
              InputException.class,
              e -> {
                assertThat(e.code()).isEqualTo("regressor-not-for-this");
                assertThat(e).hasMessageContaining("training in fp32 on t4");
              });
    }
  }

  @Test
  void refusesAnAnswerThatIsNoNumberForThisQuestion() {
    // √(40 − batch) is a number for the trial at 32 and none for 41.
    OnnxBytes five =
        new OnnxBytes().integer(1, 1).integer(1, 1).integer(2, 1).floating(4, 40).text(8, "c");
    OnnxBytes graph =
        OnnxBytes.graph()
            .message(1, new OnnxBytes().text(1, "c").text(1, "x").text(2, "d").text(4, "Sub"))
            .message(1, OnnxBytes.node("Sqrt", "", "d", "y"))
            .message(5, five)
            .message(11, OnnxBytes.value("x", 1, 1))
            .message(12, OnnxBytes.value("y", 1, 1));
    Path manifest =
        new RegressorFolder(folder)
            .write(
                OnnxBytes.model(graph),
                "[{feature: batch_size}]",
                "utilization_percent",
                RegressorFolder.OFFSET);
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      assertThat(ask(regressor, 36).utilization().mean()).isEqualTo(Utilization.ofPercent(2));
      assertThatThrownBy(() -> ask(regressor, 41))
          .isInstanceOfSatisfying(
              InputException.class, e -> assertThat(e.code()).isEqualTo("regressor-not-finite"));
    }
  }

  @Test
  void answersManyThreadsAlike() {
    Path manifest = new RegressorFolder(folder).write(OnnxBytes.linear(1, 0.1f, 0.5f));
    try (Regressor regressor =
        new OnnxRegressorLoader(UNHURRIED).load(manifest, DeviceCatalogue.builtIn())) {
      List<Prediction> serial =
          IntStream.range(1, 100).mapToObj(batch -> ask(regressor, batch)).toList();
      List<Prediction> parallel =
          IntStream.range(1, 100).parallel().mapToObj(batch -> ask(regressor, batch)).toList();

      assertThat(parallel).isEqualTo(serial);
    }
  }
}

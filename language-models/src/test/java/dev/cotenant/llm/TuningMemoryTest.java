package dev.cotenant.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.llm.inference.TransformersVersion.Release;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.tuning.TuningMethod;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import dev.cotenant.llm.tuning.TuningStates;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TuningMemoryTest extends LlamaMemory {
  @Test
  void fineTuningGrowsWithWhatItTrainsAndKeeps() throws IOException {
    MemoryPrediction lora = tuning(TuningMethod.LORA, 0, 1, false);
    MemoryPrediction full = tuning(TuningMethod.FULL, 0, 1, false);
    MemoryPrediction checkpointed = tuning(TuningMethod.LORA, 0, 1, true);
    MemoryPrediction sharded = tuning(TuningMethod.FULL, 3, 4, true);
    assertThat(gib(lora, "state_bytes")).isLessThan(1);
    assertThat(gib(full, "state_bytes")).isGreaterThan(40);
    assertThat(gib(checkpointed, "activation_bytes")).isLessThan(gib(lora, "activation_bytes"));
    assertThat(gib(sharded, "state_bytes")).isCloseTo(8.03 * 16 / 4 / 1.0737, within(0.5));
    assertThat(lora.peak().upper()).isGreaterThan(lora.peak().mean());
  }

  private static TuningSettings job(
      TuningStack stack, TuningMethod method, int zeroStage, int gpus, String... targets) {
    return job(stack, method, zeroStage, gpus, TuningPrecision.HALF, targets);
  }

  private static TuningSettings job(
      TuningStack stack,
      TuningMethod method,
      int zeroStage,
      int gpus,
      TuningPrecision precision,
      String... targets) {
    return new TuningSettings(
        stack,
        method,
        "",
        16,
        List.of(targets),
        null,
        2,
        1024,
        gpus,
        zeroStage,
        stack == TuningStack.CHECKPOINTED,
        List.of(),
        precision,
        TuningStates.ADAM);
  }

  private MemoryPrediction tuning(
      TuningMethod method, int zeroStage, int gpus, boolean checkpointing) throws IOException {
    TuningStack stack = checkpointing ? TuningStack.CHECKPOINTED : TuningStack.PEFT;
    return PREDICTOR.tuning(
        llama(), job(stack, method, zeroStage, gpus, "q_proj", "v_proj"), "h100-80gb", List.of());
  }

  @Test
  void statesNoCoverageWhereNothingWasMeasured() throws IOException {
    LanguageModel model = llama();
    TuningSettings measured = job(TuningStack.PEFT, TuningMethod.LORA, 0, 1, "q_proj");
    MemoryPrediction known = PREDICTOR.tuning(model, measured, "l40s", List.of());
    assertThat(known.peak().coverage()).isEqualTo(0.9);
    outside(known, PREDICTOR.tuning(model, measured, "l40s", List.of("batch is assumed")), "batch");
    outside(
        known,
        PREDICTOR.tuning(model.quantizedAs(Quantization.NF4), measured, "l40s", List.of()),
        "nf4");
    outside(
        known,
        PREDICTOR.tuning(
            model, job(TuningStack.PEFT, TuningMethod.LORA, 3, 8, "q_proj"), "l40s", List.of()),
        "several GPUs");
    outside(
        known,
        PREDICTOR.tuning(
            model,
            job(TuningStack.PEFT, TuningMethod.LORA, 0, 1, TuningPrecision.SINGLE, "q_proj"),
            "l40s",
            List.of()),
        "fp32");
    outside(
        known,
        PREDICTOR.tuning(
            model,
            job(TuningStack.PEFT, TuningMethod.LORA, 0, 1, "q_proj", "novel"),
            "l40s",
            List.of()),
        "modules novel");
    MemoryPrediction several = generated(model, generation(Release.LEAN, 100, 100, 4), "a100-80gb");
    outside(
        generated(model, generation(Release.LEAN, 100, 100, 1), "a100-80gb"), several, "4 GPUs");
    assertThat(gib(several, "context_bytes")).isEqualTo(2);
  }

  @Test
  void precisionDecidesAboutWeightsAndStates() throws IOException {
    double half = fullTuning(TuningPrecision.HALF);
    double mixed = fullTuning(TuningPrecision.MIXED);
    double single = fullTuning(TuningPrecision.SINGLE);
    double parameters = 8.03;
    assertThat(half * 1.0737 / parameters).isCloseTo(8, within(0.1));
    assertThat(mixed * 1.0737 / parameters).isCloseTo(18, within(0.1));
    assertThat(single * 1.0737 / parameters).isCloseTo(16, within(0.1));
  }

  private double fullTuning(TuningPrecision precision) throws IOException {
    MemoryPrediction found =
        PREDICTOR.tuning(
            llama().in(precision.valueBytes(true)),
            job(TuningStack.PEFT, TuningMethod.FULL, 0, 1, precision),
            "h100-80gb",
            List.of());
    return gib(found, "weights_bytes") + gib(found, "state_bytes");
  }

  /** PEFT trains a copy of each in fp32 with Adam's moments: 2 x 4096 x 128256 x 16 bytes. */
  @Test
  void modulesThatAreTrainedWholeTakeStates() throws IOException {
    LanguageModel model = llama();
    TuningSettings adapters = job(TuningStack.PEFT, TuningMethod.LORA, 0, 1, "q_proj");
    double without = gib(PREDICTOR.tuning(model, adapters, "l40s", List.of()), "state_bytes");
    double with =
        gib(
            PREDICTOR.tuning(model, whole(adapters, "lm_head", "embed_tokens"), "l40s", List.of()),
            "state_bytes");
    assertThat(with - without).isCloseTo(2 * 4096.0 * 128256 * 16 / GIB, within(0.001));
    MemoryPrediction unknown = PREDICTOR.tuning(model, whole(adapters, "score"), "l40s", List.of());
    assertThat(unknown.peak().coverage()).isNull();
    assertThat(unknown.warnings()).anyMatch(line -> line.contains("modules score"));
  }

  private static TuningSettings whole(TuningSettings job, String... modules) {
    return new TuningSettings(
        job.stack(),
        job.method(),
        job.variant(),
        job.rank(),
        job.targets(),
        job.trainable(),
        job.batch(),
        job.sequence(),
        job.gpus(),
        job.zeroStage(),
        job.checkpointing(),
        List.of(modules),
        job.precision(),
        job.states());
  }
}

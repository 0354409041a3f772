package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.llm.tuning.TuningStates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What optimizers, sharding and offloading leave of the states of trained parameters. */
class TrainingStatesTest {
  private static final String FULL = "torch-dtype=bfloat16 gradient-checkpointing=true";

  @TempDir private Path folder;

  /** A job of so many GPUs with these flags, each {@code name=value}. */
  private static TrainingArguments job(String gpus, String flags) {
    Map<String, Value> values = new LinkedHashMap<>();
    for (String flag : flags.split(" ", -1)) {
      int end = flag.indexOf('=');
      values.put(flag.substring(0, end), new Value(flag.substring(end + 1), "args"));
    }
    return TrainingArguments.of(
        new Workload.Training("accelerate", null, new Value(gpus, "args"), values, List.of()),
        null);
  }

  private MemoryPrediction predicted(TrainingArguments job) throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    return new MemoryPredictor(0.9)
        .tuning(job.modelAsRun(model), job.settings(), "h100-80gb", job.assumed());
  }

  private static double bytes(MemoryPrediction found, String part) {
    return Objects.requireNonNull(found.parts().get(part)).amount();
  }

  @ParameterizedTest
  @CsvSource({
    "use-fsdp=true, 3",
    "distributed-type=FSDP, 3",
    "use-fsdp=true fsdp-sharding-strategy=FULL_SHARD, 3",
    "use-fsdp=true fsdp-sharding-strategy=2, 2",
    "distributed-type=FSDP fsdp-config.fsdp-sharding-strategy=SHARD_GRAD_OP, 2",
    "distributed-type=FSDP fsdp-config.fsdp-sharding-strategy=NO_SHARD, 0",
    "distributed-type=FSDP fsdp-config.fsdp-sharding-strategy=HYBRID_SHARD_ZERO2, 2",
    "distributed-type=FSDP fsdp-config.fsdp-version=2, 3",
    "distributed-type=FSDP fsdp-config.fsdp-version=2"
        + " fsdp-config.fsdp-reshard-after-forward=false, 2",
    "fsdp=full_shard, 3",
    "fsdp=shard_grad_op, 2",
    "fsdp=no_shard, 0",
    "distributed-type=DEEPSPEED deepspeed-config.zero-stage=2, 2",
    "distributed-type=MULTI_GPU, 0"
  })
  void stageOfSharding(String flags, int stage) {
    assertThat(job("4", flags).settings().zeroStage()).isEqualTo(stage);
  }

  /** Axolotl names it so. */
  @Test
  void anOptimizerHasSeveralNames() throws IOException {
    String flags = FULL + " max-length=1024 ";
    assertThat(predicted(job("1", flags + "optimizer=adamw_bnb_8bit")).peak())
        .isEqualTo(predicted(job("1", flags + "optim=adamw_bnb_8bit")).peak());
  }

  @ParameterizedTest
  @CsvSource({
    "adamw_torch_fused, 1, true",
    "paged_adamw_32bit, 1, true",
    "paged_adamw_8bit, 0.627, false",
    "adamw_bnb_8bit, 0.627, false",
    "lion_32bit, 0.75, false",
    "lion_8bit, 0.5635, false",
    "adafactor, 0.5, false",
    "sgd, 0.5, false",
    "galore_adamw, 1, false"
  })
  void statesOfAnOptimizerAgainstAdam(String optimizer, double share, boolean isKnown)
      throws IOException {
    MemoryPrediction adam = predicted(job("1", FULL + " num=1 max-length=1024"));
    MemoryPrediction found = predicted(job("1", FULL + " max-length=1024 optim=" + optimizer));
    assertThat(bytes(found, "state_bytes") / bytes(adam, "state_bytes"))
        .isCloseTo(share, within(0.002));
    assertThat(found.warnings().stream().anyMatch(line -> line.contains("ptimizer")))
        .isEqualTo(!isKnown);
  }

  @Test
  void momentsOnTheHostLeaveGradientsAndWeightsLeaveOneLayer() throws IOException {
    String zero = "bf16.enabled=true deepspeed=z.json zero-optimization.stage=3 max-length=1024";
    MemoryPrediction onGpu = predicted(job("4", zero));
    TrainingArguments offloaded =
        job("4", zero + " zero-optimization.offload-optimizer.device=cpu");
    MemoryPrediction moments = predicted(offloaded);
    MemoryPrediction weights =
        predicted(
            job(
                "4",
                zero
                    + " zero-optimization.offload-optimizer.device=nvme"
                    + " zero-optimization.offload-param.device=cpu"));

    assertThat(bytes(moments, "state_bytes") / bytes(onGpu, "state_bytes"))
        .isCloseTo(0.25, within(1e-6));
    assertThat(bytes(moments, "weights_bytes")).isEqualTo(bytes(onGpu, "weights_bytes"));
    assertThat(bytes(weights, "weights_bytes")).isLessThan(bytes(onGpu, "weights_bytes"));
    assertThat(moments.peak().coverage()).isNull();
    assertThat(moments.warnings().toString()).contains("in the host's memory");
    assertThat(job("4", zero + " zero-optimization.offload-optimizer.device=none").settings())
        .extracting("states")
        .isEqualTo(TuningStates.ADAM);
    assertThat(job("4", "fsdp=full_shard_offload").settings().states().offloadsWeights()).isTrue();
  }

  @Test
  void aStageThatIsNoNumberIsNamed() {
    assertThatThrownBy(() -> job("4", "zero-optimization.stage=-3"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("ZeRO's stage is '-3' (args)");
    assertThatThrownBy(() -> job("4", "max-length=-3"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("max_length is '-3' (args)");
  }
}

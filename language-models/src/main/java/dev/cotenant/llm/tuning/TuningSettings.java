package dev.cotenant.llm.tuning;

import dev.cotenant.domain.InputException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fine-tuning job.
 *
 * @param stack what trains
 * @param method what is trained
 * @param variant variant of the method, such as {@code adapter_v2}; empty for none
 * @param rank of low-rank adapters
 * @param targets modules that adapters change
 * @param trainable trained parameters where they are known; null to count them
 * @param batch sequences on a GPU at once
 * @param sequence tokens of a sequence
 * @param gpus GPUs of the job
 * @param zeroStage stage of ZeRO or of FSDP's sharding; 0 for none
 * @param checkpointing whether activations are computed again
 * @param whole modules that are trained whole beside adapters, such as {@code lm_head}
 * @param precision types of weights and arithmetic
 * @param states which states it keeps, and where
 */
public record TuningSettings(
    TuningStack stack,
    TuningMethod method,
    String variant,
    int rank,
    List<String> targets,
    @Nullable Double trainable,
    int batch,
    int sequence,
    int gpus,
    int zeroStage,
    boolean checkpointing,
    List<String> whole,
    TuningPrecision precision,
    TuningStates states) {
  private static final int MAX_RANK = 1 << 16;
  private static final int MAX_BATCH = 1 << 20;
  private static final int MAX_SEQUENCE = 1 << 26;
  private static final int MAX_GPUS = 1 << 16;

  /**
   * @throws InputException ({@code bad-tuning-argument})
   */
  public TuningSettings {
    targets = List.copyOf(targets);
    whole = List.copyOf(whole);
    require("rank", rank, 0, MAX_RANK);
    require("batch", batch, 1, MAX_BATCH);
    require("sequence length", sequence, 1, MAX_SEQUENCE);
    require("GPUs", gpus, 1, MAX_GPUS);
    require("ZeRO stage", zeroStage, 0, 3);
  }

  private static void require(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw InputException.invalidArgument(
          "bad-tuning-argument",
          "The " + what + " is " + value + "; it must be from " + least + " to " + most + ".");
    }
  }

  /** Tokens on a GPU at once. */
  double tokens() {
    return (double) batch * sequence;
  }
}

package dev.cotenant.llm.pod;

import dev.cotenant.domain.InputException;
import java.util.Locale;

/**
 * What a training job shares out among its GPUs or moves to the host, by FSDP or by DeepSpeed.
 *
 * @param stage as ZeRO counts: 1 shares optimizer states, 2 gradients, 3 weights as well; 0 none
 * @param isStated whether an argument or a file says so
 * @param isDeepSpeed whether DeepSpeed runs the job
 * @param offloadsMoments whether optimizer states are in the host's memory
 * @param offloadsWeights whether weights are
 */
record Sharding(
    int stage,
    boolean isStated,
    boolean isDeepSpeed,
    boolean offloadsMoments,
    boolean offloadsWeights) {

  /**
   * By the arguments of transformers, of {@code accelerate launch} and of their files.
   *
   * @throws InputException ({@code bad-tuning-argument}) naming the argument
   */
  static Sharding of(NamedFlags flags, boolean launchedByDeepSpeed) {
    String trainer = flags.text("fsdp");
    String kind = flags.text("distributed-type").toUpperCase(Locale.ROOT);
    boolean usesFsdp = flags.isTrue("use-fsdp");
    boolean usesDeepSpeed = flags.isTrue("use-deepspeed");
    boolean byAccelerate = usesFsdp || kind.equals("FSDP");
    int accelerated = accelerated(flags);
    int zero = zero(flags);
    boolean byTrainer = flags.has("deepspeed");
    boolean deepSpeed =
        launchedByDeepSpeed || byTrainer || usesDeepSpeed || kind.equals("DEEPSPEED");
    boolean offloadedFsdp = flags.isTrue("fsdp-offload-params", "fsdp-config.fsdp-offload-params");
    String moments =
        flags.text(
            "zero-optimization.offload-optimizer.device",
            "offload-optimizer-device",
            "deepspeed-config.offload-optimizer-device");
    String weights =
        flags.text(
            "zero-optimization.offload-param.device",
            "offload-param-device",
            "deepspeed-config.offload-param-device");
    if (!trainer.isEmpty() || byAccelerate) {
      boolean offloads = byAccelerate ? offloadedFsdp : trainer.contains("offload");
      return new Sharding(
          byAccelerate ? accelerated : stage(trainer), true, deepSpeed, offloads, offloads);
    }
    return new Sharding(
        Math.max(0, zero), zero >= 0, deepSpeed, isOnHost(moments), isOnHost(weights));
  }

  /** Of FSDP by accelerate; its second version has one switch in place of strategies. */
  private static int accelerated(NamedFlags flags) {
    String strategy = flags.text("fsdp-sharding-strategy", "fsdp-config.fsdp-sharding-strategy");
    String reshards =
        flags.text("fsdp-reshard-after-forward", "fsdp-config.fsdp-reshard-after-forward");
    String version = flags.text("fsdp-version", "fsdp-config.fsdp-version");
    if (version.equals("2")) {
      return reshards.equalsIgnoreCase("false") ? 2 : 3;
    }
    return stage(strategy.isEmpty() ? reshards : strategy);
  }

  /** Of a strategy of FSDP by its name or number; all that is shared where none is stated. */
  private static int stage(String strategy) {
    String word = strategy.toLowerCase(Locale.ROOT);
    if (word.contains("no_shard") || word.equals("3")) {
      return 0;
    }
    return word.contains("grad_op") || word.contains("zero2") || word.matches("[25]") ? 2 : 3;
  }

  private static int zero(NamedFlags flags) {
    Value stage =
        flags.first("zero-optimization.stage", "zero-stage", "deepspeed-config.zero-stage");
    return stage == null ? -1 : TrainingArguments.number("ZeRO's stage", stage);
  }

  private static boolean isOnHost(String device) {
    return device.matches("cpu|nvme");
  }
}

package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Arguments of training by what they do to GPU memory [transformers 4.57, {@code training_args.py};
 * TRL 0.24, {@code sft_config.py}, {@code model_config.py}, {@code script_arguments}; torchrun;
 * accelerate, {@code commands/launch.py}; DeepSpeed's configuration; keys of LLaMA-Factory, axolotl
 * and torchtune].
 */
final class TrainingFlags {
  /** Of data, schedules, logs, files and launchers, and what adapters scale by. */
  private static final Set<String> HARMLESS =
      Set.of(
          """
          model-name-or-path model-name model base-model base-model-config tokenizer-name-or-path
          tokenizer-type model-type model-revision revision trust-remote-code cache-dir token
          hub-token use-auth-token tokenizer-name chat-template chat-template-path template
          output-dir overwrite-output-dir do-train do-eval do-predict stage
          gradient-accumulation-steps train-batch-size learning-rate weight-decay adam-beta1
          adam-beta2 adam-epsilon max-grad-norm num-train-epochs num-epochs max-steps
          lr-scheduler-type lr-scheduler lr-scheduler-kwargs warmup-ratio warmup-steps log-level
          log-level-replica log-on-each-node logging-dir logging-strategy logging-first-step
          logging-steps logging-nan-inf-filter save-strategy save-steps save-total-limit
          save-safetensors save-on-each-node save-only-model saves-per-epoch evals-per-epoch
          restore-callback-states-from-checkpoint use-cpu seed data-seed bf16-full-eval
          ddp-backend ddp-timeout ddp-find-unused-parameters dataloader-drop-last
          dataloader-num-workers dataloader-prefetch-factor dataloader-persistent-workers
          dataloader-pin-memory eval-strategy evaluation-strategy eval-steps eval-delay
          run-name disable-tqdm remove-unused-columns label-names load-best-model-at-end
          metric-for-best-model greater-is-better ignore-data-skip group-by-length
          length-column-name report-to push-to-hub resume-from-checkpoint hub-model-id
          hub-strategy hub-private-repo hub-always-push hub-revision overwrite-cache
          gradient-checkpointing-kwargs gradient-checkpointing-kwargs.use-reentrant
          include-tokens-per-second include-num-input-tokens-seen skip-memory-metrics
          dataset dataset-name dataset-config dataset-dir dataset-text-field dataset-num-proc
          dataset-train-split dataset-test-split dataset-kwargs dataset-streaming
          dataset-prepared-path dataset-batch-size datasets data-path data-files train-file
          validation-file max-samples max-train-samples max-eval-samples val-size val-set-size
          preprocessing-num-workers streaming buffer-size pad-to-multiple-of pad-token eos-token
          packing packing-strategy sample-packing pad-to-sequence-len eval-packing
          completion-only-loss assistant-only-loss truncation-side padding-side
          lora-alpha lora-dropout lora-task-type use-rslora bnb-4bit-quant-type
          bnb-4bit-compute-dtype use-bnb-nested-quant
          tf32 plot-loss do-sample wandb-project wandb-entity wandb-watch wandb-name wandb-log-model
          train-on-inputs strict flash-attention flash-attn attn-implementation
          master-addr master-port main-process-ip main-process-port machine-rank node-rank
          rdzv-backend rdzv-endpoint rdzv-id rdzv-conf max-restarts monitor-interval standalone
          role start-method no-python local-rank hostfile include exclude num-machines
          same-network multi-gpu num-cpu-threads-per-process dynamo-backend
          downcast-bf16 enable-cpu-affinity main-training-function compute-environment debug
          tpu-use-cluster tpu-use-sudo tpu-env config config-file deepspeed-config-file
          deepspeed-config.deepspeed-config-file deepspeed-config.zero3-init-flag
          deepspeed-config.zero3-save-16bit-model deepspeed-config.deepspeed-multinode-launcher
          deepspeed-config.gradient-accumulation-steps deepspeed-config.gradient-clipping
          zero3-init-flag zero3-save-16bit-model gradient-clipping steps-per-print
          wall-clock-breakdown zero-allow-untested-optimizer
          zero-optimization.stage3-gather-16bit-weights-on-model-save
          zero-optimization.offload-optimizer.pin-memory zero-optimization.offload-param.pin-memory
          fsdp-auto-wrap-policy fsdp-transformer-layer-cls-to-wrap fsdp-state-dict-type
          fsdp-cpu-ram-efficient-loading fsdp-sync-module-states fsdp-use-orig-params
          fsdp-config.fsdp-auto-wrap-policy fsdp-config.fsdp-state-dict-type
          fsdp-config.fsdp-transformer-layer-cls-to-wrap fsdp-config.fsdp-sync-module-states
          fsdp-config.fsdp-cpu-ram-efficient-loading fsdp-config.fsdp-use-orig-params
          num-processes nproc-per-node num-gpus
          """
              .strip()
              .split("\\s+"));

  /** Sections of files that describe schedules, loss scaling and data. */
  private static final Pattern HARMLESS_SECTIONS =
      Pattern.compile("(scheduler|fp16|bf16|optimizer\\.params|datasets?|wandb|tensorboard)\\..*");

  private TrainingFlags() {}

  /** A line for each argument that is neither read nor known to leave memory as it is, by name. */
  static List<String> unknown(Map<String, Value> flags) {
    return flags.keySet().stream()
        .filter(flag -> !TrainingArguments.NAMES.contains(flag))
        .filter(flag -> !isHarmless(flag, flags))
        .sorted()
        .map(flag -> "its --" + flag + " may take memory that is not counted")
        .toList();
  }

  /** Eager attention writes every score. */
  private static boolean isHarmless(String flag, Map<String, Value> flags) {
    boolean writesScores =
        flag.equals("attn-implementation") && new NamedFlags(flags).text(flag).equals("eager");
    return !writesScores && (HARMLESS.contains(flag) || HARMLESS_SECTIONS.matcher(flag).matches());
  }
}

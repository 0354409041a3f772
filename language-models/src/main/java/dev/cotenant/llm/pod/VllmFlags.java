package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Flags of {@code vllm serve}, and of KServe around it, by what they do to GPU memory [vLLM 0.6 to
 * 0.19, {@code engine/arg_utils.py}, {@code entrypoints/openai/cli_args.py}; KServe,
 * huggingfaceserver].
 */
final class VllmFlags {
  /** Flags without effect on GPU memory: of HTTP, logs, tokens, files and the host. */
  private static final Set<String> HARMLESS =
      Set.of(
          """
          model model-tag config served-model-name trust-remote-code seed revision code-revision
          tokenizer tokenizer-mode tokenizer-revision tokenizer-pool-size tokenizer-pool-type
          tokenizer-pool-extra-config skip-tokenizer-init hf-token config-format download-dir
          load-format model-loader-extra-config ignore-patterns use-tqdm-on-load
          safetensors-load-strategy max-parallel-loading-workers device
          host port uds root-path api-key middleware allow-credentials allowed-origins
          allowed-methods allowed-headers ssl-keyfile ssl-certfile ssl-ca-certs ssl-cert-reqs
          ssl-ciphers enable-ssl-refresh h11-max-incomplete-event-size h11-max-header-count
          disable-fastapi-docs enable-offline-docs disable-frontend-multiprocessing
          api-server-count headless enable-server-load-tracking shutdown-timeout
          uvicorn-log-level disable-uvicorn-access-log disable-access-log-for-endpoints
          log-config-file max-log-len disable-log-requests enable-log-requests disable-log-stats
          enable-log-outputs enable-log-deltas log-error-stack aggregate-engine-logging
          otlp-traces-endpoint collect-detailed-traces show-hidden-metrics-for-version
          kv-cache-metrics kv-cache-metrics-sample cudagraph-metrics enable-mfu-metrics
          enable-logging-iteration-details kv-events-config
          chat-template chat-template-content-format default-chat-template-kwargs
          trust-request-chat-template response-role return-tokens-as-token-ids max-logprobs
          logprobs-mode generation-config override-generation-config enable-auto-tool-choice
          exclude-tools-when-tool-choice-none tool-call-parser tool-parser-plugin tool-server
          enable-reasoning reasoning-parser reasoning-parser-plugin
          guided-decoding-backend structured-outputs-config enable-prompt-tokens-details
          enable-force-include-usage enable-request-id-headers enable-tokenizer-info-endpoint
          tokens-only logits-processor-pattern
          allowed-local-media-path allowed-media-domains media-io-kwargs interleave-mm-strings
          mm-processor-cache-gb mm-processor-cache-type disable-mm-preprocessor-cache
          max-loras max-lora-rank max-cpu-loras lora-dtype lora-extra-vocab-size
          fully-sharded-loras
          enable-prefix-caching prefix-caching-hash-algo block-size swap-space
          enable-chunked-prefill max-num-partial-prefills max-long-partial-prefills
          long-prefill-token-threshold scheduling-policy scheduler-cls scheduler-delay-factor
          async-scheduling stream-interval preemption-mode disable-async-output-proc
          use-v2-block-manager calculate-kv-scales disable-cascade-attn
          distributed-executor-backend worker-use-ray ray-workers-use-nsight
          disable-custom-all-reduce nnodes node-rank master-addr master-port
          data-parallel-size data-parallel-size-local data-parallel-rank
          data-parallel-start-rank data-parallel-address data-parallel-rpc-port
          data-parallel-backend enable-expert-parallel
          model-id model-dir model-name model-revision backend http-port grpc-port workers
          enable-grpc enable-docs-url enable-latency-logging access-log-format
          return-token-type-ids tensor-input-names
          """
              .strip()
              .split("\\s+"));

  /** Without it a batch has as many tokens as the longest sequence. */
  private static final String CHUNKED = "enable-chunked-prefill";

  private static final int MIN_PREFIX = 3;

  private VllmFlags() {}

  /**
   * The flag that a name means: argparse takes any prefix that begins no other flag; one that is
   * unknown or ambiguous means itself.
   */
  static String meant(String name) {
    String flag = VllmArguments.flag(name);
    if (flag.length() < MIN_PREFIX
        || VllmArguments.NAMES.contains(flag)
        || HARMLESS.contains(flag)) {
      return name;
    }
    List<String> longer =
        Stream.concat(VllmArguments.NAMES.stream(), HARMLESS.stream())
            .filter(known -> known.startsWith(flag))
            .limit(2)
            .toList();
    return longer.size() == 1 ? longer.getFirst() + name.substring(flag.length()) : name;
  }

  /** A line for each flag that is neither read nor known to leave memory as it is, by name. */
  static List<String> unknown(Map<String, Value> flags) {
    return flags.entrySet().stream()
        .filter(flag -> !isKnown(VllmArguments.flag(flag.getKey()), flag.getValue().text()))
        .map(flag -> VllmArguments.flag(flag.getKey()))
        .distinct()
        .sorted()
        .map(flag -> "its --" + flag + " may take memory that is not counted")
        .toList();
  }

  private static boolean isKnown(String flag, String value) {
    return VllmArguments.NAMES.contains(flag)
        || (HARMLESS.contains(flag) && !(flag.equals(CHUNKED) && value.equals("false")));
  }
}

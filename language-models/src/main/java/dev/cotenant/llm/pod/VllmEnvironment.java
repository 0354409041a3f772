package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Variables of vLLM by what they do to GPU memory [vLLM 0.6 to 0.19, {@code envs.py}]. */
final class VllmEnvironment {
  private static final Pattern OWN = Pattern.compile("VLLM_[A-Z0-9_]+");

  /** Of logs, files, processes, ports, downloads and the host. */
  private static final Pattern HARMLESS =
      Pattern.compile(
          "VLLM_("
              + "API_KEY|HOST_IP|PORT|RPC_.*|DP_.*|RAY_.*|HTTP_.*|KEEP_ALIVE_ON_ENGINE_DEATH"
              + "|ENGINE_ITERATION_TIMEOUT_S|ENGINE_READY_TIMEOUT_S|EXECUTE_MODEL_TIMEOUT_SECONDS"
              + "|WORKER_MULTIPROC_METHOD|ENABLE_V1_MULTIPROCESSING|NO_DEPRECATION_WARNING"
              + "|CACHE_ROOT|CONFIG_ROOT|ASSETS_CACHE.*|XLA_CACHE_PATH|DISABLE_COMPILE_CACHE"
              + "|CONFIGURE_LOGGING|LOGGING_.*|LOG_.*|TRACE_FUNCTION|DEBUG_LOG_API_SERVER_RESPONSE"
              + "|NO_USAGE_STATS|DO_NOT_TRACK|USAGE_.*|USE_MODELSCOPE|MODEL_REDIRECT_PATH"
              + "|IMAGE_FETCH_TIMEOUT|VIDEO_FETCH_TIMEOUT|AUDIO_FETCH_TIMEOUT|MEDIA_.*"
              + "|MAX_AUDIO_CLIP_FILESIZE_MB|VIDEO_LOADER_BACKEND|TOOL_.*|RESPONSES_API_.*"
              + "|PLUGINS|SERVER_DEV_MODE|RINGBUFFER_WARNING_INTERVAL|SKIP_P2P_CHECK"
              + "|CPU_.*|NVTX_SCOPES_FOR_PROFILING|TORCH_PROFILER_.*"
              + "|ALLOW_RUNTIME_LORA_UPDATING|LORA_RESOLVER_.*|SLEEP_WHEN_IDLE|NCCL_SO_PATH"
              + "|NIXL_SIDE_CHANNEL_.*|MOONCAKE_.*|XGRAMMAR_CACHE_MB|OBJECT_STORAGE_.*"
              + "|GC_DEBUG|COMPUTE_NANS_IN_LOGITS|LOOPBACK_IP|PROCESS_NAME_PREFIX)");

  /** Values that change nothing: those that current releases have by default. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "VLLM_USE_V1", "1",
          "VLLM_MLA_DISABLE", "0",
          "VLLM_ALLREDUCE_USE_SYMM_MEM", "1",
          "VLLM_USE_V2_MODEL_RUNNER", "0");

  private VllmEnvironment() {}

  /** A line for each variable that is neither read nor known to leave memory as it is, by name. */
  static List<String> unknown(Container container) {
    Set<String> names = new TreeSet<>(container.environment().keySet());
    names.addAll(container.unread());
    return names.stream()
        .filter(name -> OWN.matcher(name).matches() && !HARMLESS.matcher(name).matches())
        .filter(
            name -> !VllmArguments.ENVIRONMENT.contains(name) || container.unread().contains(name))
        .filter(name -> !isDefault(name, container) && !isOfCommand(name, container))
        .map(name -> "its variable " + name + " may take memory that is not counted")
        .toList();
  }

  private static boolean isDefault(String name, Container container) {
    String usual = DEFAULTS.get(name);
    return usual != null && usual.equals(container.environment().get(name));
  }

  /** Whether the command inserts it: a name of the pod's own, which is read there. */
  private static boolean isOfCommand(String name, Container container) {
    Pattern reference = Pattern.compile("\\$[({]?" + name + "\\b");
    return Stream.concat(container.command().stream(), container.args().stream())
        .anyMatch(word -> reference.matcher(word).find());
  }
}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.startup.EngineStart;
import dev.cotenant.service.rest.EngineArguments;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.serving.ServingReports.Evidence;
import dev.cotenant.service.serving.ServingReports.Reported;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measured starts of one server of vLLM: its log, or values.
 *
 * @param pod in which it runs; absent where it runs no more
 * @param model registered name, digest, or what containers call it; absent for what the log says
 * @param device device id
 * @param log lines of vLLM; absent with values
 * @param engineVersion its release; required with values
 * @param arguments arguments of its container, with values
 * @param measured what was measured; absent with a log
 */
record StartsDocument(
    @JsonProperty("pod") @Nullable String pod,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") @Nullable String device,
    @JsonProperty("log") @Nullable String log,
    @JsonProperty("engine_version") @Nullable String engineVersion,
    @JsonProperty("arguments") @Nullable List<@Nullable String> arguments,
    @JsonProperty("measured") @Nullable MeasuredDocument measured) {
  private static final double MAX = 1e14;

  /**
   * Bytes on the first GPU, and tokens; absent where they are not known.
   *
   * @param totalBytes memory of the GPU as the process sees it
   * @param processBytes all that the process holds
   */
  record MeasuredDocument(
      @JsonProperty("total_bytes") @Nullable Double totalBytes,
      @JsonProperty("process_bytes") @Nullable Double processBytes,
      @JsonProperty("context_bytes") @Nullable Double contextBytes,
      @JsonProperty("weights_bytes") @Nullable Double weightsBytes,
      @JsonProperty("activation_bytes") @Nullable Double activationBytes,
      @JsonProperty("non_torch_bytes") @Nullable Double nonTorchBytes,
      @JsonProperty("cuda_graph_bytes") @Nullable Double graphBytes,
      @JsonProperty("kv_cache_bytes") @Nullable Double kvCacheBytes,
      @JsonProperty("kv_cache_tokens") @Nullable Double kvCacheTokens) {
    EngineStart.Measured checked() {
      return new EngineStart.Measured(
          amount(totalBytes, "total_bytes"),
          amount(contextBytes, "context_bytes"),
          amount(weightsBytes, "weights_bytes"),
          amount(activationBytes, "activation_bytes"),
          amount(nonTorchBytes, "non_torch_bytes"),
          amount(graphBytes, "cuda_graph_bytes"),
          amount(kvCacheBytes, "kv_cache_bytes"),
          amount(kvCacheTokens, "kv_cache_tokens"));
    }
  }

  private static @Nullable Double amount(@Nullable Double value, String name) {
    if (value != null && !(value >= 0 && value <= MAX)) {
      throw InputException.invalidArgument(
          "number-out-of-range", "measured." + name + " must be from 0 to 1e14, is " + value + ".");
    }
    return value;
  }

  /**
   * Checked.
   *
   * @throws InputException ({@code missing-argument}, {@code two-evidences}, {@code
   *     number-out-of-range}, {@code bad-arguments}, {@code bad-engine-version})
   */
  Reported reported() {
    String ranOn = Required.of(device, "starts[].device");
    if (log != null) {
      if (measured != null || engineVersion != null || arguments != null) {
        throw InputException.invalidArgument(
            "two-evidences",
            "A log contains version, arguments and values: state either log or measured.");
      }
      return new Reported(model, ranOn, new Evidence.Log(log), Double.NaN, pod);
    }
    MeasuredDocument values = Required.of(measured, "starts[].log or starts[].measured");
    String version = Required.of(engineVersion, "starts[].engine_version");
    EngineRun run = EngineArguments.run("", "vllm", version, arguments);
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, "arguments")));
    EngineStart start =
        new EngineStart(
            "measured",
            VllmVersion.of(version),
            Required.of(model, "starts[].model"),
            flags,
            values.checked());
    Double process = amount(values.processBytes(), "process_bytes");
    return new Reported(
        model, ranOn, new Evidence.Values(start), process == null ? Double.NaN : process, pod);
  }
}

package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question about a language model.
 *
 * @param model registered name, digest, or what containers call it; absent with a description
 * @param description {@code config}, {@code weights}: the model itself; absent with a name
 * @param device device id
 * @param engine {@code vllm}, {@code transformers}, {@code sglang}, {@code tgi}, {@code llama.cpp},
 *     {@code torchrun}, {@code accelerate} or {@code deepspeed}; absent is vllm
 * @param engineVersion its version; absent is the newest that was measured
 * @param arguments as a container has them
 * @param concurrency sequences of the longest length for the least memory of a server; absent is 1
 * @param gpuMemoryBytes what the process sees of the GPU; absent is the card's
 * @param promptTokens of a request; absent is 1,024
 * @param generatedTokens of its answer; absent is 1,024
 * @param requestRate requests a second; absent where requests follow each other
 * @param namespace whose constants of servers are used; absent for the shipped ones
 * @param coverage share of families in which bounds are to hold, 0.5 to 0.999; absent is 0.9
 */
record LanguageModelDocument(
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("description") @Nullable JsonNode description,
    @JsonProperty("device") @Nullable String device,
    @JsonProperty("engine") @Nullable String engine,
    @JsonProperty("engine_version") @Nullable String engineVersion,
    @JsonProperty("arguments") @Nullable List<@Nullable String> arguments,
    @JsonProperty("concurrency") @Nullable Integer concurrency,
    @JsonProperty("gpu_memory_bytes") @Nullable Long gpuMemoryBytes,
    @JsonProperty("prompt_tokens") @Nullable Long promptTokens,
    @JsonProperty("generated_tokens") @Nullable Long generatedTokens,
    @JsonProperty("request_rate") @Nullable Double requestRate,
    @JsonProperty("namespace") @Nullable String namespace,
    @JsonProperty("coverage") @Nullable Double coverage) {}

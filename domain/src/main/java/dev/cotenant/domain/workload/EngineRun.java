package dev.cotenant.domain.workload;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a container runs a language model, as its image, command, arguments and environment say.
 *
 * @param namespace of the pod, on whose account descriptions of models are cached; empty for none
 * @param kind what it does
 * @param engine {@code vllm}, a launcher such as {@code torchrun}, or another engine
 * @param version of the engine; null where nothing names it
 * @param model a name or a path, as the engine gets it; null where nothing names it
 * @param isNamed whether an annotation names the model, and not the container
 * @param settings arguments that decide about memory, by their names without leading dashes
 * @param unread one line for each thing that nothing states or that cannot be read; bounds of
 *     predictions are assumed then
 * @param gpuMemory memory of a GPU visible to its process; null for all of it, or with a share
 * @param gpuShare visible share of a GPU's memory, 0 to 1; null for all of it, or with an amount
 */
public record EngineRun(
    String namespace,
    Kind kind,
    String engine,
    @Nullable String version,
    @Nullable String model,
    boolean isNamed,
    Map<String, String> settings,
    List<String> unread,
    @Nullable MemorySize gpuMemory,
    @Nullable Double gpuShare) {
  /** Task of an engine. */
  public enum Kind {
    /** It serves requests, and its memory is known. */
    SERVER,
    /** It fine-tunes. */
    TRAINING,
    /** It generates with plain transformers, one sequence at a time. */
    GENERATION,
    /** Recognised; at most its weights and its KV cache are known. */
    UNMODELLED
  }

  public EngineRun {
    settings = Collections.unmodifiableMap(new TreeMap<>(settings));
    unread = List.copyOf(unread);
  }

  /** One that sees whole GPUs. */
  public EngineRun(
      String namespace,
      Kind kind,
      String engine,
      @Nullable String version,
      @Nullable String model,
      boolean isNamed,
      Map<String, String> settings,
      List<String> unread) {
    this(namespace, kind, engine, version, model, isNamed, settings, unread, null, null);
  }

  /** Copy with the memory of a GPU visible to its process; null for all of it. */
  public EngineRun seeing(@Nullable MemorySize memory) {
    return seeing(memory, null);
  }

  /** Copy whose process sees only an amount or a share of GPU memory; both null for all memory. */
  public EngineRun seeing(@Nullable MemorySize memory, @Nullable Double share) {
    return new EngineRun(
        namespace, kind, engine, version, model, isNamed, settings, unread, memory, share);
  }

  /** The same with these arguments. */
  public EngineRun with(Map<String, String> others) {
    return new EngineRun(
        namespace, kind, engine, version, model, isNamed, others, unread, gpuMemory, gpuShare);
  }

  /** Bytes that its process sees of a GPU whose driver shows {@code cardBytes}. */
  public double seenBytes(double cardBytes) {
    if (gpuMemory != null) {
      return gpuMemory.bytes();
    }
    return gpuShare == null ? cardBytes : gpuShare * cardBytes;
  }
}

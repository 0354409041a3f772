package dev.cotenant.llm;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The predicted memory of one process on one GPU.
 *
 * @param model folder or file of the model
 * @param engine engine, such as {@code vllm}
 * @param version of the engine; empty where it has none
 * @param device where
 * @param peak the whole process, in bytes
 * @param parts its parts in bytes by their names in JSON, in order
 * @param serving capacity of a server's KV cache; null for other jobs
 * @param warnings missing or assumed inputs, one line each
 */
public record MemoryPrediction(
    String model,
    String engine,
    String version,
    String device,
    Bounded peak,
    Map<String, Part> parts,
    @Nullable Serving serving,
    List<String> warnings) {
  public MemoryPrediction {
    parts = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    warnings = List.copyOf(warnings);
  }

  /** The same with more warnings. */
  public MemoryPrediction withWarnings(List<String> more) {
    return new MemoryPrediction(
        model,
        engine,
        version,
        device,
        peak,
        parts,
        serving,
        Stream.concat(warnings.stream(), more.stream()).toList());
  }

  /** The same whose upper bound is at least so many bytes. */
  MemoryPrediction atLeast(long bytes) {
    return new MemoryPrediction(
        model, engine, version, device, peak.atLeast(bytes), parts, serving, warnings);
  }

  /**
   * Copy for a GPU with this memory: a warning states a mean, or a bound with a coverage, that does
   * not fit; a server that does not fit cannot start.
   */
  public MemoryPrediction within(double bytes) {
    boolean fits = peak.mean() <= bytes;
    if (fits && (peak.coverage() == null || peak.upper() <= bytes)) {
      return this;
    }
    String line =
        (fits ? "may not fit: its upper bound of " : "does not fit: it takes ")
            + MemorySize.ofBytes(fits ? peak.upper() : peak.mean())
            + ", and "
            + device
            + " has "
            + MemorySize.ofBytes((long) bytes);
    Serving now = serving == null || fits ? serving : serving.failing();
    return new MemoryPrediction(model, engine, version, device, peak, parts, now, warnings)
        .withWarnings(List.of(line));
  }

  /**
   * An amount with an upper bound.
   *
   * @param mean bytes
   * @param upper bytes, at least the mean
   * @param coverage nominal coverage over families; null if assumed, outside of measured
   *     configurations
   */
  public record Bounded(long mean, long upper, @Nullable Double coverage) {
    /** With an upper bound of so many bytes, or its own where that is larger. */
    Bounded atLeast(long bytes) {
      return new Bounded(mean, Math.max(upper, bytes), coverage);
    }
  }

  /**
   * One part.
   *
   * @param amount bytes, or tokens where the name says so
   * @param bounds null where it has none of its own
   * @param basis what it rests on
   */
  public record Part(long amount, @Nullable PartBounds bounds, String basis) {
    /** Without bounds of its own. */
    public Part(long amount, String basis) {
      this(amount, null, basis);
    }
  }

  /**
   * Bounds of a part.
   *
   * @param lower null for none
   * @param upper null for none
   * @param coverage nominal coverage over families; null if assumed
   */
  public record PartBounds(@Nullable Long lower, @Nullable Long upper, @Nullable Double coverage) {}

  /**
   * A server's KV cache.
   *
   * @param tokens that it holds
   * @param sequences of the longest length that it holds at once
   * @param starts whether it holds one, without which the engine exits, and the process fits the
   *     GPU
   * @param least the memory that the requested sequences need in all
   * @param leastKvCacheBytes the KV cache that they need: {@code --kv-cache-memory-bytes}
   */
  public record Serving(
      long tokens, double sequences, boolean starts, Bounded least, long leastKvCacheBytes) {
    Serving failing() {
      return new Serving(tokens, sequences, false, least, leastKvCacheBytes);
    }
  }
}

package dev.cotenant.llm.source;

/**
 * What a reader of model files accepts; all are checked before memory is allocated.
 *
 * @param headerBytes most bytes of a safetensors header; safetensors itself refuses above 100 MB
 * @param documentBytes most bytes of a JSON file
 * @param metadataBytes most bytes of GGUF metadata and tensor list
 * @param tensors most tensors of a model, over all its files
 * @param files most shards
 * @param depth deepest nesting of JSON, and of GGUF arrays
 */
public record SourceLimits(
    int headerBytes, int documentBytes, int metadataBytes, int tensors, int files, int depth) {
  /** Two shards' worth of what the largest published models have. */
  public static final SourceLimits DEFAULT =
      new SourceLimits(100_000_000, 32 << 20, 64 << 20, 1_000_000, 2_000, 32);

  /** Of a hidden size or a vocabulary. */
  public static final int MAX_WIDTH = 1 << 24;

  /** Of layers. */
  public static final int MAX_LAYERS = 10_000;

  /** Of experts. */
  public static final int MAX_EXPERTS = 100_000;

  /** Of positions. */
  public static final long MAX_POSITIONS = 1L << 32;
}

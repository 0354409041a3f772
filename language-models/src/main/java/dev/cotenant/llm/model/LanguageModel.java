package dev.cotenant.llm.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decoder-only language model as its files declare it.
 *
 * @param name folder or file that it was read from
 * @param type {@code model_type} of the configuration, or the architecture of a GGUF file
 * @param hidden width of a token's vector
 * @param positions longest sequence and rotary tables
 * @param vocabulary tokens
 * @param tied whether the head is the embedding
 * @param visionParameters parameters of a vision tower with its projector; 0 for none
 * @param valueBytes bytes of a value in the type in which the model runs by default: 2 or 4
 * @param quantization of the stored linear layers
 * @param stored what the headers list; null where only a configuration was read
 * @param adapter a LoRA adapter that lies in the folder; null for none
 * @param warnings missing or contradictory settings, one line each
 */
public record LanguageModel(
    String name,
    String type,
    int hidden,
    Layers layers,
    Attention attention,
    FeedForward feedForward,
    Positions positions,
    int vocabulary,
    boolean tied,
    long visionParameters,
    int valueBytes,
    Quantization quantization,
    @Nullable StoredWeights stored,
    @Nullable Adapter adapter,
    List<String> warnings) {
  public LanguageModel {
    warnings = List.copyOf(warnings);
  }

  /**
   * Positions of tokens.
   *
   * @param longest the longest sequence that the model declares
   * @param tableRows rows of the rotary tables that an engine builds; 0 without rotary embedding
   * @param rotaryDim width of a row
   * @param limited whether an engine refuses longer sequences: the model declares its longest
   */
  public record Positions(long longest, long tableRows, int rotaryDim, boolean limited) {}

  /**
   * A LoRA adapter.
   *
   * @param rank of its matrices
   * @param targets modules that it adapts
   */
  public record Adapter(int rank, List<String> targets) {
    public Adapter {
      targets = List.copyOf(targets);
    }
  }

  /** This with another quantization of its linear layers, as an argument may request. */
  public LanguageModel quantizedAs(Quantization other) {
    return with(other, valueBytes, stored, adapter, warnings);
  }

  /** This for sequences of any length, as an argument may request. */
  public LanguageModel unlimited() {
    return new LanguageModel(
        name,
        type,
        hidden,
        layers,
        attention,
        feedForward,
        new Positions(positions.longest, positions.tableRows, positions.rotaryDim, false),
        vocabulary,
        tied,
        visionParameters,
        valueBytes,
        quantization,
        stored,
        adapter,
        warnings);
  }

  /** Copy with a different value type. */
  public LanguageModel in(int bytes) {
    return with(quantization, bytes, stored, adapter, warnings);
  }

  /** Copy with the files beside the configuration. */
  public LanguageModel withFiles(
      @Nullable StoredWeights tensors, @Nullable Adapter beside, List<String> lines) {
    return with(quantization, valueBytes, tensors, beside, lines);
  }

  private LanguageModel with(
      Quantization quantizationNow,
      int bytes,
      @Nullable StoredWeights tensors,
      @Nullable Adapter beside,
      List<String> lines) {
    return new LanguageModel(
        name,
        type,
        hidden,
        layers,
        attention,
        feedForward,
        positions,
        vocabulary,
        tied,
        visionParameters,
        bytes,
        quantizationNow,
        tensors,
        beside,
        lines);
  }
}

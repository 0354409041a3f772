package dev.cotenant.llm;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;

/** Models and arguments with which vLLM does not start. */
final class VllmRefusals {
  private VllmRefusals() {}

  /**
   * @throws InputException ({@code unknown-architecture}, {@code bad-engine-argument}) naming what
   *     it refuses
   */
  static void requirePossible(LanguageModel model, VllmSettings settings, ServingCard card) {
    requireCache(model);
    requireDivisible(model, settings.tensor());
    if (settings.pipeline() > model.layers().count()) {
      throw bad(
          "--pipeline-parallel-size "
              + settings.pipeline()
              + " is above the "
              + model.layers().count()
              + " layers of "
              + model.name()
              + ".");
    }
    requireLength(model, settings.length(model));
    int tokens = settings.batchedTokens(model, card);
    if (settings.sequences(card) > tokens) {
      throw bad(
          "--max-num-seqs "
              + settings.sequences(card)
              + " is above the "
              + tokens
              + " tokens of a batch: raise --max-num-batched-tokens.");
    }
  }

  private static InputException bad(String message) {
    return InputException.invalidArgument("bad-engine-argument", message);
  }

  static void requireCache(LanguageModel model) {
    if (model.layers().full() + model.layers().windowed() == 0) {
      throw InputException.invalidArgument(
          "unknown-architecture",
          model.name()
              + ": none of its layers caches keys and values; the memory of a server with it is"
              + " unknown until it is measured.");
    }
  }

  static void requireDivisible(LanguageModel model, int tensor) {
    long padded = new Weights(model).paddedVocabulary();
    int heads = model.attention().heads();
    if (heads % tensor != 0 || padded % tensor != 0) {
      throw bad(
          "--tensor-parallel-size "
              + tensor
              + " must divide the "
              + heads
              + " heads and the "
              + padded
              + " padded tokens of "
              + model.name()
              + ".");
    }
    if (model.attention() instanceof Attention.Grouped grouped
        && tensor > grouped.kvHeads()
        && tensor % grouped.kvHeads() != 0) {
      throw bad(
          "--tensor-parallel-size "
              + tensor
              + " is not a multiple of the "
              + grouped.kvHeads()
              + " KV heads of "
              + model.name()
              + ".");
    }
  }

  private static void requireLength(LanguageModel model, long length) {
    if (model.positions().limited()
        && length > model.positions().longest()
        && length > model.positions().tableRows()) {
      throw bad(
          "--max-model-len "
              + length
              + " is above the "
              + model.positions().longest()
              + " tokens of "
              + model.name()
              + ".");
    }
  }
}

package dev.cotenant.llm.inference;

import dev.cotenant.llm.model.LanguageModel;

/**
 * A measured generation.
 *
 * @param model as it was loaded
 * @param secondHead whether a quantized checkpoint of a tied model carries a head of its own
 * @param bytes summed over the GPUs
 */
public record GenerationRun(
    LanguageModel model, boolean secondHead, GenerationSettings settings, double bytes) {}

package dev.cotenant.engine.model;

import dev.cotenant.llm.source.ModelDescription;

/**
 * A language model with a name.
 *
 * @param name what workloads call it
 * @param sha256 digest of its description, 64 hexadecimal digits
 * @param description its configuration, its weights, and what containers call it
 */
public record RegisteredLanguageModel(String name, String sha256, ModelDescription description)
    implements Registered {}

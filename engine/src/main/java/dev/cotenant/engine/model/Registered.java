package dev.cotenant.engine.model;

/** What a registered name means: a graph or a language model. */
public sealed interface Registered permits RegisteredModel, RegisteredLanguageModel {
  /** What workloads call it. */
  String name();

  /** Digest of the file it was read from, 64 hexadecimal digits. */
  String sha256();
}

package dev.cotenant.datasets.named;

import java.util.Optional;
import java.util.Set;

/** What rows are wanted for, and so what their source's licence must allow. */
public enum LicenceScope {
  /** Training a model that anybody may use: sources with a non-commercial licence are left out. */
  COMMERCIAL,
  /** Evaluation and research: every source. */
  ANY;

  /** Licensed under S-Lab License 1.0, which is for non-commercial use only. */
  private static final Set<String> NON_COMMERCIAL = Set.of("Lucid");

  /** Sources with a permissive licence or none stated; the model card names the latter. */
  private static final Set<String> USABLE = Set.of("SPREAD", "alnair", "glet");

  /** Why rows of a source cannot be used; empty where they can. */
  Optional<String> objectionTo(String source) {
    if (this == ANY || USABLE.contains(source)) {
      return Optional.empty();
    }
    return Optional.of(
        NON_COMMERCIAL.contains(source)
            ? "the licence of " + source + " is non-commercial; read with scope ANY to evaluate"
            : "the licence of source '" + source + "' is not known");
  }
}

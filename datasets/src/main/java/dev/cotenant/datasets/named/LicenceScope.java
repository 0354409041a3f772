package dev.cotenant.datasets.named;

import dev.cotenant.domain.profile.Licence;
import java.util.Optional;

/** What rows are wanted for, and so what their source's licence must allow. */
public enum LicenceScope {
  /** Training a model that anybody may use. */
  COMMERCIAL,
  /** Evaluation and research: every source. */
  ANY;

  /** Why rows of a source under these terms cannot be used; empty where they can. */
  Optional<String> objectionTo(String source, Licence licence) {
    if (this == ANY || licence.mayTrain()) {
      return Optional.empty();
    }
    return Optional.of(
        licence == Licence.UNKNOWN
            ? "the licence of source '" + source + "' is not known"
            : "the licence of " + source + " is non-commercial; read with scope ANY to evaluate");
  }
}

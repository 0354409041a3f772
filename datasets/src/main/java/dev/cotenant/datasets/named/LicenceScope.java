package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.profile.Licence;

/** What rows are wanted for, and so what their source's licence must allow. */
public enum LicenceScope {
  /** Training a model that anybody may use. */
  COMMERCIAL,
  /** Evaluation and research: every source. */
  ANY;

  /** Refuses rows of a source under these terms where they cannot be used. */
  void require(String source, Licence licence) {
    if (this == COMMERCIAL && !licence.mayTrain()) {
      throw new UnusableRowException(
          licence == Licence.UNKNOWN
              ? "the licence of source '" + source + "' is not known"
              : "the licence of " + source + " is non-commercial; read with scope ANY to evaluate");
    }
  }
}

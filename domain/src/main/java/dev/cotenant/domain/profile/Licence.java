package dev.cotenant.domain.profile;

/** The terms under which a measurement was published, and whether a model may learn from it. */
public enum Licence {
  /** The user's own measurement, or this project's. */
  OWN("own"),
  APACHE_2("Apache-2.0"),
  MIT("MIT"),
  /** Attribution: NOTICE names the authors. */
  CC_BY_4("CC-BY-4.0"),
  /** Published without terms; a model card names such sets. */
  NONE_STATED("none stated"),
  /** Non-commercial: evaluation only. */
  S_LAB_1("S-Lab-1.0"),
  /** Terms not reviewed: evaluation only. */
  UNKNOWN("unknown");

  private final String label;

  Licence(String label) {
    this.label = label;
  }

  /** Its short name, as cards and manifests show it. */
  public String label() {
    return label;
  }

  /** Whether a model for any purpose, commercial use included, may be trained on it. */
  public boolean mayTrain() {
    return switch (this) {
      case OWN, APACHE_2, MIT, CC_BY_4, NONE_STATED -> true;
      case S_LAB_1, UNKNOWN -> false;
    };
  }
}

package dev.cotenant.admission.review;

/** Whether a request is meant to last. */
public enum Intent {
  REAL,
  /** Nothing may be recorded. */
  DRY_RUN
}

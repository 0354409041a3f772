package dev.cotenant.admission.review;

/** Whether a request has effects. */
public enum Intent {
  REAL,
  /** Nothing may be recorded. */
  DRY_RUN
}

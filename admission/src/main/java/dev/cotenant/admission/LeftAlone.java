package dev.cotenant.admission;

/** Why pods that ask for GPUs are left alone: few words, for they tag a metric. */
final class LeftAlone {
  static final String NODE_NAMED = "node-named";
  static final String MIG_INSTANCE = "mig-instance";
  static final String UNKNOWN_MODEL = "unknown-model";
  static final String NO_CLAIM = "no-claim";
  static final String INVALID = "invalid";

  private LeftAlone() {}
}

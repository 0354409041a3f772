package dev.cotenant.interference.risk;

/** Parts of the logarithm of a speed that sharings have in common. */
public enum Effect {
  /** Coefficients of products of utilizations and bandwidths, common to all devices. */
  USAGE("utilization and bandwidth"),
  /** The constant of a device; its prior deviation is that of three coefficients of usage. */
  DEVICE("level of the device"),
  /** Effect of the victim's configuration. */
  VICTIM("victim's configuration"),
  /** Effect of the victim's model. */
  VICTIM_MODEL("victim's model"),
  /** Effect of an aggressor's configuration. */
  AGGRESSOR("neighbour's configuration"),
  /** Effect of an aggressor's model. */
  AGGRESSOR_MODEL("neighbour's model"),
  /** Interaction of two models. */
  MODELS("the two models"),
  /** Of a victim's configuration beside a model. */
  VICTIM_BESIDE_MODEL("victim's configuration beside the neighbour's model"),
  /** Of a victim's model beside a configuration. */
  MODEL_BESIDE_AGGRESSOR("victim's model beside the neighbour's configuration"),
  /** Of two configurations, common to both directions. */
  PAIR("the two configurations"),
  /** Of a victim's configuration, times the utilization of the aggressors. */
  VICTIM_SLOPE("victim's sensitivity to utilization"),
  /** Of an aggressor's configuration, times the utilization of the victim. */
  AGGRESSOR_SLOPE("neighbour's weight on utilization"),
  /** Of one victim configuration beside one set of aggressors, independent of all other cells. */
  CELL("this sharing itself"),
  /** Error of the speed alone by which all measurements of a victim were divided. */
  BASELINE("measured speed alone");

  private final String label;

  Effect(String label) {
    this.label = label;
  }

  /** For reasons and pages. */
  public String label() {
    return label;
  }

  /** The effect whose fitted deviation applies. */
  Effect fitted() {
    return switch (this) {
      case DEVICE -> USAGE;
      case BASELINE -> VICTIM; // in units of its deviation
      default -> this;
    };
  }
}

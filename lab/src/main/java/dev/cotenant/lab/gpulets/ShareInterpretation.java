package dev.cotenant.lab.gpulets;

/** One way to fill in what the paper leaves open. */
public enum ShareInterpretation {
  PROPORTIONAL_SHARES("proportional-shares", ShareEffect.IN_PROPORTION, 1),
  MEASURED_SHARES("measured-shares", ShareEffect.AS_MEASURED, 1),
  /** The authors' code lets 15 % of a rate go (INTF_THRESHOLD) where interference takes it. */
  MEASURED_SHARES_85("measured-shares-85", ShareEffect.AS_MEASURED, 0.85);

  private final String key;
  private final ShareEffect effect;
  private final double keptPart;

  ShareInterpretation(String key, ShareEffect effect, double keptPart) {
    this.key = key;
    this.effect = effect;
    this.keptPart = keptPart;
  }

  /** Name in tables. */
  public String key() {
    return key;
  }

  /** How shares make batches slower. */
  ShareEffect effect() {
    return effect;
  }

  /** Share of the rate that must remain beside a neighbour. */
  double keptPart() {
    return keptPart;
  }
}

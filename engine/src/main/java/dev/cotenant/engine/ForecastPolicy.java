package dev.cotenant.engine;

/** Which forecast decisions use. */
public enum ForecastPolicy {
  /** The bound on the peak over a decision's lifetime. */
  PEAK_BOUND,
  /** The published chain: grants, then CBP, then PP. */
  RESAWARE,
  /** Grants as long as tenants stay; the bound on the peak where more than they say is in use. */
  GRANTS,
  /** The same of tenants that are expected to stay for longer than a decision's lifetime. */
  STAY
}

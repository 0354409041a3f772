package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;

/** Within which limits workloads share a GPU. */
public interface LimitsConfiguration {
  /** Summed upper bounds of predicted utilization. */
  @WithDefault("100")
  double utilizationPercent();

  /** Share of the usable memory that stays free. */
  @WithDefault("5")
  double memoryHeadroomPercent();

  /** Workloads on one GPU. */
  @WithDefault("3")
  int tenants();

  /** Predicted slowdown of any of them. */
  @WithDefault("1.15")
  double slowdown();

  /** Share of cases in which the bounds of a prediction must hold to share by them. */
  @WithDefault("90")
  double coveragePercent();
}

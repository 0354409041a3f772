package dev.cotenant.service.configuration;

import dev.cotenant.engine.ForecastPolicy;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Forecast of used memory in decisions. */
public interface ForecastConfiguration {
  /** {@code peak-bound}, {@code resaware} for the published chain, {@code grants}, {@code stay}. */
  @WithDefault("peak-bound")
  ForecastPolicy policy();

  /** Horizon of the peak bound. */
  @WithDefault("10m")
  Duration decisionHorizon();

  /** How long pods stay of which neither annotation nor past runs say so; absent: not known. */
  Optional<Duration> expectedStay();

  /** Samples of the published chain; younger tenants count with their predicted peak. */
  @WithDefault("60")
  int windowSamples();

  /** CBP answers where the coefficient of variation is below it. */
  @WithDefault("0.2")
  double variationThreshold();

  /** PP answers where the autocorrelation is above it. */
  @WithDefault("0")
  double autocorrelationThreshold();

  /** The lag of that autocorrelation, in samples. */
  @WithDefault("1")
  int autocorrelationOrder();

  /** Label of the published chain's estimates; it changes no figure. */
  @WithDefault("1s")
  Duration chainHorizon();
}

package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;

/**
 * One way of saying how much memory of a device will be in use.
 *
 * <p>An implementation is immutable and a pure function of its question: no clock, no randomness,
 * no memory of earlier questions, safe to share between threads. It obeys:
 *
 * <ul>
 *   <li>It answers ({@link MemoryForecast.Applies}) or abstains ({@link MemoryForecast.Abstained});
 *       both carry a reason of one line with the numbers it looked at. It never throws on a valid
 *       question: an empty, constant or wild series is a reason to pass on.
 *   <li>Every size it states lies between 0 and the question's capacity. Where the formula left
 *       that range the reason carries the raw value.
 *   <li>{@code next <= } capacity, {@code peak <= peakUpper}. An estimator that states no bound
 *       sets {@code peakUpper} to {@code peak} and the coverage to null.
 *   <li>It reads no sample but those of the question; {@code samples} and {@code age} of the answer
 *       describe the ones it used, {@code age} being zero where a skewed clock put the newest
 *       sample after {@link ForecastRequest#now()}.
 * </ul>
 */
public interface MemoryForecaster {

  /** Stable lower-case name, unique among forecasters shown together, such as {@code cbp}. */
  String name();

  /** What this estimator says of the question, under {@link #name()}. */
  MemoryForecast forecast(ForecastRequest request);
}

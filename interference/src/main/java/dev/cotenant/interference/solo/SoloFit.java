package dev.cotenant.interference.solo;

/**
 * What a fit to profile points gave.
 *
 * @param <T> what is fitted
 */
public sealed interface SoloFit<T> {
  /** The fit. */
  record Fitted<T>(T value) implements SoloFit<T> {}

  /** There is none, and why. */
  record NotFitted<T>(String reason) implements SoloFit<T> {}

  /** The fit, or a bad-input error that names the reason. */
  default T require() {
    return switch (this) {
      case Fitted<T>(T value) -> value;
      case NotFitted<T>(String reason) ->
          throw dev.cotenant.domain.InputException.malformed("profile-fit-failed", reason + ".");
    };
  }
}

package dev.cotenant.lab.inss;

import dev.cotenant.lab.figure.Preset;
import java.time.Duration;
import java.util.List;

/** Presets that end sooner. */
public final class ShortPresets {
  private ShortPresets() {}

  /** A minute of each of its tables. */
  public static Preset changingRates(List<List<Double>> loads) {
    return new ChangingRates(loads, Duration.ofMinutes(1));
  }
}

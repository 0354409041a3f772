package dev.cotenant.interference.risk;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Prior standard deviations of effects, in logarithms of speed.
 *
 * @param byEffect one per element of {@link #fitted()}, positive
 */
public record Deviations(Map<Effect, Double> byEffect) {
  private static final List<Effect> FITTED =
      Stream.of(Effect.values()).filter(effect -> effect.fitted() == effect).toList();

  public Deviations {
    byEffect = new EnumMap<>(byEffect);
    for (Effect effect : FITTED) {
      Double deviation = byEffect.get(effect);
      if (deviation == null || !(deviation > 0 && Double.isFinite(deviation))) {
        throw new IllegalArgumentException(
            "the deviation of " + effect + " is " + deviation + ", not positive");
      }
    }
  }

  /** Effects with a deviation of their own, in the order of files. */
  static List<Effect> fitted() {
    return FITTED;
  }

  /** The same for all. */
  public static Deviations all(double deviation) {
    Map<Effect, Double> all = new EnumMap<>(Effect.class);
    FITTED.forEach(effect -> all.put(effect, deviation));
    return new Deviations(all);
  }

  /** Squared deviation. */
  double variance(Effect effect) {
    double deviation = byEffect.getOrDefault(effect.fitted(), 0.0);
    return deviation * deviation;
  }
}

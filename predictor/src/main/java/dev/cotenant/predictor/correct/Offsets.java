package dev.cotenant.predictor.correct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Offsets to a base's logarithm: of the platform, of the family, and of the family on the platform.
 * Each level is fitted on what the ones before leave, and only where it is sure to help.
 *
 * @param platforms by device and settings; judged on families left out, so that a new one is helped
 * @param families by family; judged on platforms left out
 * @param familiesOnPlatforms by both; judged on models at a batch left out
 */
record Offsets(
    Map<String, Double> platforms,
    Map<String, Double> families,
    Map<String, Double> familiesOnPlatforms) {
  static final Offsets NONE = new Offsets(Map.of(), Map.of(), Map.of());

  Offsets {
    platforms = Collections.unmodifiableMap(new TreeMap<>(platforms));
    families = Collections.unmodifiableMap(new TreeMap<>(families));
    familiesOnPlatforms = Collections.unmodifiableMap(new TreeMap<>(familiesOnPlatforms));
  }

  static Offsets fit(List<Residual> residuals) {
    Map<String, Double> platforms =
        ShrunkOffsets.fit(residuals, Residual::platform, Residual::family);
    Offsets first = new Offsets(platforms, Map.of(), Map.of());
    Map<String, Double> families =
        ShrunkOffsets.fit(first.leave(residuals), Residual::family, Residual::platform);
    Offsets second = new Offsets(platforms, families, Map.of());
    List<Residual> left = second.leave(residuals);
    return new Offsets(
        platforms,
        families,
        ShrunkOffsets.fit(left, Residual::familyOnPlatform, Residual::modelAtBatch));
  }

  /** What these offsets do not explain. */
  List<Residual> leave(List<Residual> residuals) {
    List<Residual> left = new ArrayList<>(residuals.size());
    for (Residual residual : residuals) {
      left.add(residual.less(sum(Optional.of(residual.family()), residual.platform())));
    }
    return left;
  }

  /** The offset of a question; an unknown family has none of its own. */
  double sum(Optional<String> family, String platform) {
    double sum = platforms.getOrDefault(platform, 0.0);
    if (family.isPresent()) {
      sum += families.getOrDefault(family.get(), 0.0);
      sum += familiesOnPlatforms.getOrDefault(Groups.join(family.get(), platform), 0.0);
    }
    return sum;
  }

  boolean isEmpty() {
    return platforms.isEmpty() && families.isEmpty() && familiesOnPlatforms.isEmpty();
  }
}

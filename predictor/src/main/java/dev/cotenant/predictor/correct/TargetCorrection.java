package dev.cotenant.predictor.correct;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a cluster's runs say about one target.
 *
 * @param runs how many measured it
 * @param offsets what is added in log space
 * @param trees what is added further; empty where offsets say all
 * @param scales of bounds by platform; a platform that is missing was not measured
 * @param overall of bounds over all platforms
 * @param leftOutBefore mean squared error of the base, in log space
 * @param leftOutAfter the same of this correction, on runs it had not seen
 */
record TargetCorrection(
    int runs,
    Offsets offsets,
    BoostedTrees trees,
    Map<String, BoundScale> scales,
    BoundScale overall,
    double leftOutBefore,
    double leftOutAfter) {
  static final TargetCorrection NONE =
      new TargetCorrection(
          0, Offsets.NONE, new BoostedTrees(java.util.List.of()), Map.of(), BoundScale.NONE, 0, 0);

  TargetCorrection {
    scales = Collections.unmodifiableMap(new TreeMap<>(scales));
  }

  /** What to add to the base's logarithm. */
  double shift(Optional<String> family, String platform, double[] features) {
    double offset = offsets.sum(family, platform);
    return scales.containsKey(platform) ? offset + trees.predict(features) : offset;
  }

  /** The bounds' scale for a question. */
  BoundScale scale(Optional<String> family, String platform) {
    BoundScale measured = scales.get(platform);
    if (measured == null) {
      return overall.orWider();
    }
    return family.isPresent() ? measured : measured.orWider();
  }

  /** Whether bounds of a question like this were measured. */
  boolean isMeasured(Optional<String> family, String platform) {
    BoundScale measured = scales.get(platform);
    return family.isPresent() && measured != null && measured.isMeasured();
  }
}

package dev.cotenant.predictor.correct;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a cluster's runs say about one target.
 *
 * @param runs how many measured it
 * @param contexts what hosts take beyond what the base expects, by platform; a platform that is
 *     missing is predicted by the base as for an unmeasured host
 * @param offsets what is added further in log space
 * @param trees what is added further; empty where offsets say all
 * @param scales of bounds by platform; a platform that is missing was not measured
 * @param overall of bounds over all platforms
 * @param leftOutBefore mean squared error of the base, in log space
 * @param leftOutAfter the same of this correction, on runs it had not seen
 */
record TargetCorrection(
    int runs,
    Map<String, ProcessBaseline> contexts,
    Offsets offsets,
    BoostedTrees trees,
    Map<String, BoundScale> scales,
    BoundScale overall,
    double leftOutBefore,
    double leftOutAfter) {
  static final BoostedTrees NO_TREES = BoostedTrees.of(0, RequestFeatures.COUNT, List.of());

  static final TargetCorrection NONE =
      new TargetCorrection(0, Map.of(), Offsets.NONE, NO_TREES, Map.of(), BoundScale.NONE, 0, 0);

  TargetCorrection {
    contexts = Collections.unmodifiableMap(new TreeMap<>(contexts));
    scales = Collections.unmodifiableMap(new TreeMap<>(scales));
  }

  /** The base's estimate adjusted to the hosts of a platform; unchanged for unknown platforms. */
  LogBounds onHost(String platform, LogBounds base) {
    ProcessBaseline context = contexts.get(platform);
    return context == null ? base : context.on(base);
  }

  /** Addition to the base's logarithm. */
  double shift(Optional<String> family, String platform, float[] features) {
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

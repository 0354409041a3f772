package dev.cotenant.predictor.model;

import dev.cotenant.domain.graph.ModelFeatures;
import java.util.ArrayList;
import java.util.List;

/** The smallest and largest value of each feature among some training rows. */
final class FeatureRanges {
  private final float[] lowest;
  private final float[] highest;

  /**
   * @throws IllegalArgumentException when a range is missing, reversed or not a number
   */
  FeatureRanges(float[] lowest, float[] highest) {
    if (lowest.length != Feature.count() || highest.length != Feature.count()) {
      throw new IllegalArgumentException("there are not " + Feature.count() + " ranges");
    }
    for (int i = 0; i < lowest.length; i++) {
      if (!(lowest[i] <= highest[i])) {
        throw new IllegalArgumentException("range " + i + ": " + lowest[i] + " to " + highest[i]);
      }
    }
    this.lowest = lowest.clone();
    this.highest = highest.clone();
  }

  /** The ranges of one vector. */
  static FeatureRanges of(float[] vector) {
    return new FeatureRanges(vector, vector);
  }

  /** The smallest ranges that hold both. */
  FeatureRanges union(FeatureRanges other) {
    float[] low = lowest.clone();
    float[] high = highest.clone();
    for (int i = 0; i < low.length; i++) {
      low[i] = Math.min(low[i], other.lowest[i]);
      high[i] = Math.max(high[i], other.highest[i]);
    }
    return new FeatureRanges(low, high);
  }

  /** A description of every model feature that lies outside; devices are judged by their id. */
  List<String> describeOutside(ModelFeatures model) {
    List<String> outside = new ArrayList<>();
    for (int i = 0; i < lowest.length; i++) {
      Feature feature = Feature.at(i);
      if (feature.describesModel() && !isInside(i, feature.encoded(model))) {
        outside.add(feature.describeOutside(model, lowest[i], highest[i]));
      }
    }
    return outside;
  }

  private boolean isInside(int feature, float value) {
    return value >= lowest[feature] && value <= highest[feature];
  }

  float lowest(int feature) {
    return lowest[feature];
  }

  float highest(int feature) {
    return highest[feature];
  }
}

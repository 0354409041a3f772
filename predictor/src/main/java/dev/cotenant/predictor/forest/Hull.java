package dev.cotenant.predictor.forest;

import java.util.ArrayList;
import java.util.List;

/** The training hull: the smallest and largest training value of each feature. */
public final class Hull {
  private final float[] lowest;
  private final float[] highest;

  Hull(float[] lowest, float[] highest) {
    if (lowest.length != Feature.count() || highest.length != Feature.count()) {
      throw new IllegalArgumentException("a hull needs " + Feature.count() + " ranges");
    }
    this.lowest = lowest.clone();
    this.highest = highest.clone();
  }

  /** The hull of at least one vector. */
  public static Hull of(float[][] vectors) {
    float[] lowest = vectors[0].clone();
    float[] highest = vectors[0].clone();
    for (float[] vector : vectors) {
      for (int i = 0; i < vector.length; i++) {
        lowest[i] = Math.min(lowest[i], vector[i]);
        highest[i] = Math.max(highest[i], vector[i]);
      }
    }
    return new Hull(lowest, highest);
  }

  /** A description of every model feature that lies outside; devices are judged by their id. */
  public List<String> describeOutside(float[] vector) {
    List<String> outside = new ArrayList<>();
    for (int i = 0; i < vector.length; i++) {
      Feature feature = Feature.at(i);
      boolean inside = vector[i] >= lowest[i] && vector[i] <= highest[i];
      if (feature.describesModel() && !inside) {
        outside.add(feature.describeOutside(vector[i], lowest[i], highest[i]));
      }
    }
    return outside;
  }

  float lowest(int feature) {
    return lowest[feature];
  }

  float highest(int feature) {
    return highest[feature];
  }
}

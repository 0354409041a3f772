package dev.cotenant.predictor.evaluate;

import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.train.TrainingTable;

/** Least squares of the target's logarithm on one feature as it is encoded. */
final class Line {
  private Line() {}

  static double mean(TrainingTable train) {
    double sum = 0;
    for (int row = 0; row < train.size(); row++) {
      sum += Competitor.actual(train, row);
    }
    return sum / train.size();
  }

  static Competitor.Regression fit(TrainingTable train, Feature feature) {
    double meanX = 0;
    for (int row = 0; row < train.size(); row++) {
      meanX += feature.of(train.vector(row)) / train.size();
    }
    double meanY = mean(train);
    double covariance = 0;
    double variance = 0;
    for (int row = 0; row < train.size(); row++) {
      double dx = feature.of(train.vector(row)) - meanX;
      covariance += dx * (Competitor.actual(train, row) - meanY);
      variance += dx * dx;
    }
    double slope = variance > 0 ? covariance / variance : 0;
    double intercept = meanY - slope * meanX;
    return (table, row) -> intercept + slope * feature.of(table.vector(row));
  }
}

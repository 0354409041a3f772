package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.predictor.train.Folds;
import java.util.Comparator;
import java.util.List;

/**
 * Copies what the same network took on the device of the nearest rate, at the nearest batch; where
 * no row has the network, the mean of all rows.
 */
final class NearestDevice implements Competitor.Regression {
  private final List<ProfileRow> known;
  private final Competitor.Way way;
  private final double mean;

  NearestDevice(List<ProfileRow> known, Competitor.Way way) {
    this.known = known.stream().filter(way.target()::isMeasured).toList();
    this.way = way;
    mean = Line.mean(this.known, way.target());
  }

  @Override
  public double predict(ProfileRow row) {
    return known.stream()
        .filter(other -> Folds.layout(other).equals(Folds.layout(row)))
        .min(Comparator.comparingDouble(other -> distance(other, row)))
        .map(way.target()::plainLogOf)
        .orElse(mean);
  }

  private double distance(ProfileRow one, ProfileRow other) {
    double rates = Math.abs(Math.log(rate(one) / rate(other)));
    double batches = Math.log((double) one.features().batchSize() / other.features().batchSize());
    return rates + Math.abs(batches);
  }

  private double rate(ProfileRow row) {
    return way.device(row).peak().teraflops(Precision.FP32);
  }
}

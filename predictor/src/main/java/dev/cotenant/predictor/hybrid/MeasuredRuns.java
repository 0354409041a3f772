package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.hybrid.HybridLearner.Numbers;
import dev.cotenant.predictor.hybrid.HybridLearner.Sample;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.model.Target;
import java.util.Arrays;
import java.util.List;

/**
 * Rows that measure one target, as learners of hybrid models use them.
 *
 * @param rows in the order given
 * @param sample their runs and plain logarithms: log1p of percent, or log of MiB
 */
record MeasuredRuns(List<ProfileRow> rows, Sample sample) {
  MeasuredRuns {
    rows = List.copyOf(rows);
  }

  /**
   * The rows that measure the target.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-device}) when a row ran on a device
   *     that the catalogue lacks
   */
  static MeasuredRuns of(Target target, List<ProfileRow> all, DeviceCatalogue catalogue) {
    List<ProfileRow> rows = all.stream().filter(target::isMeasured).toList();
    double[] alike = new double[rows.size()];
    Arrays.fill(alike, 1);
    return new MeasuredRuns(
        rows,
        new Sample(
            rows.stream().map(row -> run(row, catalogue)).toList(),
            new Numbers(rows.stream().mapToDouble(target::plainLogOf).toArray()),
            new Numbers(alike)));
  }

  static Run run(ProfileRow row, DeviceCatalogue catalogue) {
    return Run.of(row.features(), row.settings(), catalogue.require(row.device().value()));
  }

  int size() {
    return rows.size();
  }

  /** The same, with weights of the rows. */
  MeasuredRuns weighted(double... weights) {
    return new MeasuredRuns(rows, new Sample(sample.runs(), sample.logs(), new Numbers(weights)));
  }
}

package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.train.Folds;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The hosts whose runs were learned from. Sets do not name them: an origin's device stands for one.
 *
 * @param names of these
 */
record MeasuredHosts(Set<String> names) {
  static MeasuredHosts of(List<ProfileRow> rows) {
    Set<String> names = new HashSet<>();
    rows.forEach(row -> names.add(name(row)));
    return new MeasuredHosts(names);
  }

  static MeasuredHosts of(List<ProfileRow> rows, int... indices) {
    return of(Arrays.stream(indices).mapToObj(rows::get).toList());
  }

  private static String name(ProfileRow row) {
    return Folds.origin(row) + " " + Folds.device(row);
  }

  /** Where it was measured. */
  Host of(ProfileRow row) {
    return names.contains(name(row)) ? Host.MEASURED : Host.UNKNOWN;
  }
}

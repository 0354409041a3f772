package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.train.Folds;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The hosts whose runs were learned from. Sets do not name them: an origin's device stands for one.
 *
 * @param names of these
 * @param devices that they have
 */
record MeasuredHosts(Set<String> names, Set<String> devices) {
  static MeasuredHosts of(List<ProfileRow> rows) {
    Set<String> names = new HashSet<>();
    Set<String> devices = new HashSet<>();
    for (ProfileRow row : rows) {
      names.add(name(row));
      devices.add(Folds.device(row));
    }
    return new MeasuredHosts(names, devices);
  }

  static MeasuredHosts of(List<ProfileRow> rows, int... indices) {
    return of(Arrays.stream(indices).mapToObj(rows::get).toList());
  }

  private static String name(ProfileRow row) {
    return Folds.origin(row) + " " + Folds.device(row);
  }

  /** What a request for a row knows of its host: it names a device and no host. */
  Host unnamed(ProfileRow row) {
    return devices.contains(Folds.device(row)) ? Host.UNKNOWN : Host.NEW;
  }

  /** A device without measured runs has no measured host. */
  Host resolved(PredictionRequest request) {
    return request.host() == Host.UNKNOWN && !devices.contains(request.device().id().value())
        ? Host.NEW
        : request.host();
  }

  /** Where it was measured. */
  Host of(ProfileRow row) {
    return names.contains(name(row)) ? Host.MEASURED : Host.NEW;
  }
}

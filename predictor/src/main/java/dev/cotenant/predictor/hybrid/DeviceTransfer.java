package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Utilization on devices without measured runs: the formula of a step's time with what is common to
 * measured devices and their hosts. Immutable.
 *
 * @param formula with the cost of {@link Run#eager()}
 * @param measured devices of the fitted runs
 */
record DeviceTransfer(UtilizationPrior formula, SortedSet<DeviceId> measured) {
  DeviceTransfer {
    measured = Collections.unmodifiableSortedSet(new TreeSet<>(measured));
  }

  DeviceTransfer(UtilizationPrior formula, Collection<DeviceId> measured) {
    this(formula, new TreeSet<>(measured));
  }

  /** Whether a run is on a device without measured runs. */
  boolean applies(Run run) {
    return !measured.contains(run.device().id());
  }

  /** log1p of the utilization in percent. */
  double log(Run run) {
    return formula.log(run.eager());
  }
}

package dev.cotenant.service.cluster;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.Drift;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.evidence.DriftStore.Run;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** Shows the drift of this process as metrics, and stores its runs for all to see. */
public final class DriftWatch {
  private final Drift drift = new Drift();
  private final DriftStore store;
  private final MeterRegistry meters;
  private final Set<DeviceId> shown = new HashSet<>();

  public DriftWatch(DriftStore store, MeterRegistry meters) {
    this.store = store;
    this.meters = meters;
  }

  /**
   * Takes a measured run; one without utilization says nothing.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when it cannot be stored; metrics have it
   */
  public synchronized void add(Prediction prediction, ProfileRow measured, Instant at) {
    Drift.Miss miss = Drift.miss(prediction, measured).orElse(null);
    if (miss == null) {
      return;
    }
    DeviceId device = measured.device();
    drift.add(device, miss);
    show(device);
    store.add(new Run(device.value(), at, miss.log(), miss.aboveUpper()));
  }

  private void show(DeviceId device) {
    if (shown.add(device)) {
      Gauge.builder("cotenant.drift.utilization.bias", drift, d -> d.bias(device))
          .tag("device", device.value())
          .strongReference(true)
          .register(meters);
      Gauge.builder("cotenant.drift.utilization.above.upper", drift, d -> d.aboveUpper(device))
          .tag("device", device.value())
          .strongReference(true)
          .register(meters);
    }
  }
}

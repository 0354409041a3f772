package dev.cotenant.service.devices;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.Engine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Reads the file of devices periodically and replaces the engine's catalogue as a whole. A file
 * that is refused is logged and counted, and the previous catalogue stays.
 */
public final class DeviceWatch {
  private static final Logger LOG = Logger.getLogger(DeviceWatch.class);

  /** Reads one file of at most 1 MiB. */
  private static final Duration LOOK_AT_MOST = Duration.ofSeconds(20);

  private final KnownDevices devices;
  private final Engine engine;
  private final Runnable replaced;
  private final Counter failures;
  private String reported = "";

  /**
   * @param engine has the catalogue
   * @param replaced runs after the catalogue was replaced
   */
  public DeviceWatch(KnownDevices devices, Engine engine, Runnable replaced, MeterRegistry meters) {
    this.devices = devices;
    this.engine = engine;
    this.replaced = replaced;
    failures =
        Counter.builder("cotenant.devices.reload.failures")
            .description("Failed reads of the file of devices")
            .register(meters);
  }

  /** Reads the file periodically. */
  public Loop begin(Duration interval, Supervisor supervisor) {
    return supervisor.start(
        LoopPlan.restarted("devices", LOOK_AT_MOST),
        heart -> {
          heart.rest(interval);
          look();
        });
  }

  /** Reads the file once. */
  synchronized void look() {
    try {
      DeviceCatalogue found = devices.read();
      reported = "";
      if (!list(found).equals(list(engine.devices()))) {
        engine.replaceDevices(found);
        LOG.infof("The device catalogue is replaced, it has %d products", found.devices().size());
        replaced.run();
      }
    } catch (InputException problem) {
      failures.increment();
      report(String.valueOf(problem.getMessage()));
    }
  }

  private static List<Device> list(DeviceCatalogue catalogue) {
    return List.copyOf(catalogue.devices());
  }

  /** Logs a problem once until it changes. */
  private void report(String problem) {
    if (!problem.equals(reported)) {
      LOG.errorf("The previous device catalogue stays in force: %s", problem);
      reported = problem;
    }
  }
}

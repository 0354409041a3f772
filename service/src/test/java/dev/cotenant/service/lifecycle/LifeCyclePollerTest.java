package dev.cotenant.service.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifeCyclePollerTest {
  private final FakeModelStore store = new FakeModelStore();
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final List<String> done = new ArrayList<>();

  private void lookOnce(Runnable failing) {
    Serving serving =
        new Serving(
            store, BaseModel.Reader.STANDARD, Predictor.builtInFile(), InstantSource.system());
    Trainings trainings =
        new Trainings(store, serving, DeviceCatalogue::builtIn, "replica", InstantSource.system());
    LifeCyclePoller.Chores chores =
        new LifeCyclePoller.Chores(
            List.of(() -> done.add("first"), failing, () -> done.add("last")));
    try (LifeCyclePoller poller = new LifeCyclePoller(serving, trainings, chores, meters)) {
      poller.start(Duration.ofHours(1), new FakeProcess().supervisor);
    }
  }

  @Test
  void doesTheOtherChoresWhenOneFails() {
    lookOnce(() -> {
      throw InputException.malformed("bad-profile", "Unknown device 'gone'.");
    });

    assertThat(done).containsExactly("first", "last");
  }

  /** It is away for the others as well, each of which would wait for it. */
  @Test
  void endsALookWhenTheStoreIsAway() {
    lookOnce(() -> {
      throw new StoreException("The store is down.", new IOException("told to"));
    });

    assertThat(done).containsExactly("first");
    assertThat(meters.counter("cotenant.store.failures").count()).isEqualTo(1);
  }
}

package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.service.cluster.ProfiledPods.Profiled;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the time in which pods are measured alone into profile rows, one for each pod. Called
 * periodically by one thread.
 */
public final class ProfiledRuns {
  private final WindowReader windows;
  private final Supplier<Collection<Holding>> granted;
  private final ClusterFeedback.Sources sources;
  private final MeterRegistry meters;
  private final InstantSource clock;

  private final ProfiledPods profiled = new ProfiledPods();

  /** Reads what was measured of one GPU between two instants; may block. */
  @FunctionalInterface
  public interface WindowReader {
    /** Measures nothing. */
    WindowReader NONE = (_, _, _) -> Optional.empty();

    Optional<GpuReading> read(String uuid, Instant from, Instant to);
  }

  /**
   * @param granted pods with a grant; none where this process does not lead
   */
  public ProfiledRuns(
      WindowReader windows,
      Supplier<Collection<Holding>> granted,
      ClusterFeedback.Sources sources,
      MeterRegistry meters,
      InstantSource clock) {
    this.windows = windows;
    this.granted = granted;
    this.sources = sources;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Looks at every pod once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when a row cannot be stored; it is offered
   *     again at the next look
   */
  public void observe() {
    Instant now = clock.instant();
    for (Profiled one : profiled.due(granted.get(), now)) {
      observe(one, now);
    }
  }

  private void observe(Profiled one, Instant now) {
    Holding held = one.held();
    @Nullable String model =
        GrantReader.workload(held.pod().request())
            .filter(Workload::mayBeGraph)
            .map(Workload::model)
            .orElse(null);
    List<Grant> grants = held.decision().grants();
    Optional<ProfileRow> row =
        sources
            .run(model, grants, one.from())
            .flatMap(run ->
                windows
                    .read(grants.getFirst().gpuUuid(), one.from(), one.to())
                    .flatMap(reading -> run.measured(reading, one.from(), one.to())));
    if (row.isPresent()) {
      sources.add(held.pod().pod().namespace(), row.get(), now);
      profiled.done(one);
      meters.counter("cotenant.feedback.rows").increment();
    }
  }
}

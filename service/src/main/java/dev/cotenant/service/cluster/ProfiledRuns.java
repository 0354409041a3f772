package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.cluster.GpuReading;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the time in which pods are measured alone into profile rows, one for each pod. Called
 * periodically by one thread.
 */
public final class ProfiledRuns {
  /** One part of so many, at the beginning, is left out: start-up is not what a run settles at. */
  private static final int SETTLING_PART = 5;

  /** Time after the end in which samples may still arrive. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final WindowReader windows;
  private final Supplier<Collection<Holding>> granted;
  private final ClusterFeedback.Sources sources;
  private final MeterRegistry meters;
  private final InstantSource clock;

  /** Pods that have given their row, by uid. */
  private final Set<String> reported = new HashSet<>();

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
    Set<String> present = new HashSet<>();
    for (Holding held : granted.get()) {
      Duration time = GrantReader.profileTime(held.pod());
      Instant start = held.pod().life().startedAt();
      if (time.isPositive() && start != null) {
        present.add(held.pod().uid());
        Instant end = start.plus(time);
        Instant alone = held.aloneUntil();
        boolean isDue =
            alone != null
                && !alone.isBefore(end) // else neighbours may have come before
                && !now.isBefore(end)
                && now.isBefore(end.plus(PATIENCE));
        if (isDue && !reported.contains(held.pod().uid())) {
          observe(held, start.plus(time.dividedBy(SETTLING_PART)), end, now);
        }
      }
    }
    reported.retainAll(present);
  }

  private void observe(Holding held, Instant from, Instant to, Instant now) {
    @Nullable String model =
        GrantReader.workload(held.pod().request())
            .filter(Workload::mayBeGraph)
            .map(Workload::model)
            .orElse(null);
    List<Grant> grants = held.decision().grants();
    Optional<ProfileRow> row =
        sources
            .run(model, grants, from)
            .flatMap(run ->
                windows
                    .read(grants.getFirst().gpuUuid(), from, to)
                    .flatMap(reading -> run.measured(reading, from, to)));
    if (row.isPresent()) {
      sources.add(held.pod().pod().namespace(), row.get(), now);
      reported.add(held.pod().uid());
      meters.counter("cotenant.feedback.rows").increment();
    }
  }
}

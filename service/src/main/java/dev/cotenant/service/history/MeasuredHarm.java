package dev.cotenant.service.history;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The newest measurement of each pod beside others against its limit, whatever its policy makes of
 * it. Thread safe.
 */
public final class MeasuredHarm {
  /** After this time without another a measurement says nothing about now. */
  static final Duration FRESH = Duration.ofMinutes(15);

  private final Supplier<GateView> view;
  private final Map<Key, Sample> newest = new ConcurrentHashMap<>();

  private record Key(String uid, Signal signal) {}

  /**
   * @param view what the gate knows; without grants where this process does not lead
   */
  public MeasuredHarm(Supplier<GateView> view) {
    this.view = view;
  }

  /**
   * A pod beside others.
   *
   * @param gpu uuid of its GPU
   * @param signal slowdown or latency
   * @param value measured, as a ratio or in seconds
   * @param limit of the grant
   */
  public record Harm(
      String pod, String gpu, Signal signal, double value, double limit, Instant at) {
    /** Whether the limit is exceeded. */
    public boolean isBeyond() {
      return value > limit;
    }

    /** How far the limit is used up; beyond 1 it is exceeded. */
    double share() {
      return value / limit;
    }
  }

  /**
   * Measurements of pods. Memory belongs to GPUs, which have their own history; a rate depends on a
   * pod's clients, not on its neighbours.
   */
  public void measured(List<Sample> samples) {
    for (Sample sample : samples) {
      if (sample.signal() == Signal.SLOWDOWN || sample.signal() == Signal.LATENCY) {
        newest.merge(
            new Key(sample.uid(), sample.signal()),
            sample,
            (one, other) -> one.at().isAfter(other.at()) ? one : other);
      }
    }
  }

  /** Those of the last quarter of an hour of pods that have a grant, the worst first. */
  public List<Harm> now(Instant now) {
    Instant oldest = now.minus(FRESH);
    newest.values().removeIf(sample -> sample.at().isBefore(oldest));
    List<Harm> found = new ArrayList<>();
    if (!newest.isEmpty()) {
      for (Holding held : view.get().granted().values()) {
        for (Signal signal : Signal.values()) {
          @Nullable Sample sample = newest.get(new Key(held.pod().uid(), signal));
          if (sample != null) {
            found.add(harm(held, sample));
          }
        }
      }
    }
    found.sort(Comparator.comparingDouble(Harm::share).reversed().thenComparing(Harm::pod));
    return found;
  }

  private static Harm harm(Holding held, Sample sample) {
    return new Harm(
        held.pod().pod().toString(),
        held.decision().grants().getFirst().gpuUuid(),
        sample.signal(),
        sample.value(),
        sample.limit(),
        sample.at());
  }
}

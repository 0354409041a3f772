package dev.cotenant.admission.gate.state;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A refusal whose reasons are computed on each access: stored for a thousand pods and ten thousand
 * GPUs they would exhaust the heap.
 *
 * @param decision for listeners, which cache the reasons
 * @param again repeats the decision
 * @param asOf when the cluster was as the reasons say, some time ago: a refusal holds until there
 *     are new samples or freed capacity; null where they say nothing of it
 */
public record Refusal(Decision decision, Supplier<Decision> again, @Nullable Instant asOf) {
  /** A refusal with few reasons. */
  public static Refusal of(Reason reason) {
    Decision decision = new Decision.Held(List.of(reason));
    return new Refusal(decision, () -> decision, null);
  }

  /** All reasons, computed anew. */
  public List<Reason> reasons() {
    return List.of(again.get().reasons().toArray(Reason[]::new));
  }

  /** The same with a first reason. */
  public Refusal with(Reason first) {
    Supplier<Decision> both =
        () ->
            new Decision.Held(
                new DeferredReasons(
                    () -> Stream.concat(Stream.of(first), reasons().stream()).toList()));
    return new Refusal(both.get(), both, asOf);
  }

  /** The same for a pod with this waiting time. */
  public Refusal waiting(Duration waited) {
    Supplier<Decision> own =
        () ->
            new Decision.Held(
                new DeferredReasons(
                    () -> reasons().stream().map(reason -> withWait(reason, waited)).toList()));
    return new Refusal(own.get(), own, asOf);
  }

  private static Reason withWait(Reason reason, Duration waited) {
    return reason instanceof Reason.WaitTimeout(Duration _, Duration limit)
        ? new Reason.WaitTimeout(waited, limit)
        : reason;
  }
}

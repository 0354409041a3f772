package dev.cotenant.admission.gate;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A refusal whose reasons are found anew whenever they are asked for: kept for a thousand pods and
 * ten thousand GPUs they would fill the memory.
 *
 * @param decision for others, who keep what they read
 * @param again decides the same once more
 */
record Refusal(Decision decision, Supplier<Decision> again) {
  /** A refusal with few reasons. */
  static Refusal of(Reason reason) {
    Decision decision = new Decision.Held(List.of(reason));
    return new Refusal(decision, () -> decision);
  }

  /** All reasons; whoever asks does not keep them. */
  List<Reason> reasons() {
    return List.of(again.get().reasons().toArray(Reason[]::new));
  }

  /** The same with one more, which comes first. */
  Refusal with(Reason first) {
    Supplier<Decision> both =
        () ->
            new Decision.Held(
                new DeferredReasons(
                    () -> Stream.concat(Stream.of(first), reasons().stream()).toList()));
    return new Refusal(both.get(), both);
  }

  /** The same for a pod that has waited so long; the others share the rest of it. */
  Refusal waiting(Duration waited) {
    Supplier<Decision> own =
        () ->
            new Decision.Held(
                new DeferredReasons(
                    () -> reasons().stream().map(reason -> withWait(reason, waited)).toList()));
    return new Refusal(own.get(), own);
  }

  private static Reason withWait(Reason reason, Duration waited) {
    return reason instanceof Reason.WaitTimeout(Duration _, Duration limit)
        ? new Reason.WaitTimeout(waited, limit)
        : reason;
  }
}

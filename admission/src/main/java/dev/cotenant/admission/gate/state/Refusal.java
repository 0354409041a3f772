package dev.cotenant.admission.gate.state;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A refusal. The reasons of its decision are those of that moment, computed at the first access and
 * remembered.
 *
 * @param decision for other threads
 * @param again repeats the decision, for the thread of the gate, and remembers nothing: reasons of
 *     a thousand pods and ten thousand GPUs would exhaust the heap. Empty where nothing refuses any
 *     more
 * @param asOf when the cluster was as the reasons say, some time ago: a refusal holds until there
 *     are new samples or freed capacity; null where they say nothing of it
 */
public record Refusal(Decision decision, Supplier<List<Reason>> again, @Nullable Instant asOf) {
  /** A refusal with few reasons. */
  public static Refusal of(Reason reason) {
    List<Reason> reasons = List.of(reason);
    return new Refusal(new Decision.Held(reasons), () -> reasons, null);
  }

  /** All reasons, computed anew; empty where the pod is decided on again. */
  public List<Reason> reasons() {
    return List.of(again.get().toArray(Reason[]::new));
  }

  /** Copy with a leading reason. */
  public Refusal with(Reason first) {
    return with(reasons -> Stream.concat(Stream.of(first), reasons.stream()).toList());
  }

  /** Copy with the pod's waiting time. */
  public Refusal waiting(Duration waited) {
    return with(reasons -> reasons.stream().map(reason -> withWait(reason, waited)).toList());
  }

  private Refusal with(UnaryOperator<List<Reason>> changed) {
    return new Refusal(
        new Decision.Held(new DeferredReasons(() -> changed.apply(decision.reasons()))),
        () -> {
          List<Reason> now = reasons();
          return now.isEmpty() ? now : changed.apply(now);
        },
        asOf);
  }

  private static Reason withWait(Reason reason, Duration waited) {
    return reason instanceof Reason.WaitTimeout(Duration _, Duration limit)
        ? new Reason.WaitTimeout(waited, limit)
        : reason;
  }
}

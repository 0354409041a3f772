package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The largest batch at which a refused pod fits.
 *
 * <p>Halves the batch until it is admitted, then bisects: about twice the logarithm of the batch in
 * decisions. Assumes that a smaller batch fits where a larger one does; where predictions are not
 * monotonic a larger one may be missed, but the result itself was admitted.
 */
public final class LargestBatch {
  private LargestBatch() {}

  /**
   * An admitted batch.
   *
   * @param batchSize samples per step, at most as many as requested
   * @param decision its decision
   */
  public record Fit(int batchSize, Decision.Admitted decision) {}

  /**
   * The largest admitted batch below the pod's own; empty without one.
   *
   * @param decide decides without recording; deterministic
   */
  public static Optional<Fit> below(Colocatable pod, Function<Colocatable, Decision> decide) {
    return pod.workload().model() == null
        ? Optional.empty() // without a model no prediction depends on the batch
        : below(pod.workload().batchSize(), batch -> decide.apply(pod.withBatch(batch)));
  }

  /**
   * The pod's own batch if admitted, else as {@link #below}; usable where the recorded decision is
   * outdated.
   *
   * @param decide decides without recording; deterministic
   */
  public static Optional<Fit> now(Colocatable pod, Function<Colocatable, Decision> decide) {
    return decide.apply(pod) instanceof Decision.Admitted admitted
        ? Optional.of(new Fit(pod.workload().batchSize(), admitted))
        : below(pod, decide);
  }

  /** The largest admitted batch below this one; empty without one. */
  public static Optional<Fit> below(int refusedBatch, IntFunction<Decision> decide) {
    int refused = refusedBatch;
    @Nullable Fit fits = null;
    while (fits == null && refused > 1) {
      int half = refused / 2;
      fits = admitted(half, decide);
      refused = fits == null ? half : refused;
    }
    while (fits != null && refused - fits.batchSize() > 1) {
      int middle = fits.batchSize() + (refused - fits.batchSize()) / 2;
      @Nullable Fit better = admitted(middle, decide);
      refused = better == null ? middle : refused;
      fits = better == null ? fits : better;
    }
    return Optional.ofNullable(fits);
  }

  private static @Nullable Fit admitted(int batch, IntFunction<Decision> decide) {
    return decide.apply(batch) instanceof Decision.Admitted admitted
        ? new Fit(batch, admitted)
        : null;
  }
}

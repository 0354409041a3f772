package dev.cotenant.domain.decision;

import java.util.AbstractList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reasons that are found when they are read: a refusal is known long before all that is wrong with
 * ten thousand GPUs is written down. Immutable to its readers, and safe for many threads.
 */
public final class DeferredReasons extends AbstractList<Reason> {
  private @Nullable Supplier<List<Reason>> source;
  private @Nullable List<Reason> found;

  /**
   * @param source finds them from what never changes; at least one
   */
  public DeferredReasons(Supplier<List<Reason>> source) {
    this.source = source;
  }

  @Override
  public Reason get(int index) {
    return found().get(index);
  }

  @Override
  public int size() {
    return found().size();
  }

  private synchronized List<Reason> found() {
    List<Reason> known = found;
    Supplier<List<Reason>> finder = source;
    if (known == null && finder != null) {
      known = List.copyOf(finder.get());
      found = known;
      source = null; // it may hold a whole cluster
    }
    if (known == null || known.isEmpty()) {
      throw new IllegalStateException("reasons must not be empty");
    }
    return known;
  }
}

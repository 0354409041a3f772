package dev.cotenant.admission.fill.plan;

import dev.cotenant.admission.decision.MemoryBounds;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a pod states, on the GPUs that it may run on.
 *
 * @param most on the largest of them
 * @param least on the smallest
 * @param words for people
 */
record StatedMemory(MemorySize most, MemorySize least, String words) {
  /** A share counts of each GPU; where nothing is declared, the whole GPU is stated. */
  static StatedMemory of(@Nullable DeclaredMemory declared, MemoryBounds bounds) {
    return switch (declared) {
      case DeclaredMemory.Amount(MemorySize amount) ->
          new StatedMemory(amount, amount, amount.toString());
      case DeclaredMemory.FractionOfGpu share -> of(share, percent(share) + " of a GPU", bounds);
      case null -> new StatedMemory(bounds.largest(), bounds.smallest(), "a whole GPU");
    };
  }

  private static StatedMemory of(DeclaredMemory share, String words, MemoryBounds bounds) {
    MemorySize most = share.on(bounds.largest());
    MemorySize least = share.on(bounds.smallest());
    String sizes = most.equals(least) ? most.toString() : least + " to " + most;
    return new StatedMemory(most, least, words + " (" + sizes + ")");
  }

  private static String percent(DeclaredMemory.FractionOfGpu share) {
    return String.format(Locale.ROOT, "%.1f", 100 * share.fraction()).replaceFirst("\\.0$", "")
        + " %";
  }
}

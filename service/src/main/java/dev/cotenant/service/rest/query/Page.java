package dev.cotenant.service.rest.query;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param entries in list order
 * @param next the token of the page behind it; null on the last
 */
public record Page<T>(List<T> entries, @Nullable String next) {
  public Page {
    entries = List.copyOf(entries);
  }

  /** Copy with mapped entries. */
  public <V> Page<V> map(Function<? super T, ? extends V> view) {
    return new Page<>(entries.stream().<V>map(view).toList(), next);
  }
}

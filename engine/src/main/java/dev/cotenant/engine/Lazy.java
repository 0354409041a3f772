package dev.cotenant.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes a value at its first use. Thread safe. */
public final class Lazy<T> implements Supplier<T> {
  private @Nullable Supplier<T> maker;
  private volatile @Nullable T made;

  public Lazy(Supplier<T> maker) {
    this.maker = maker;
  }

  @Override
  public T get() {
    T found = made;
    return found == null ? make() : found;
  }

  private synchronized T make() {
    T found = made;
    Supplier<T> open = maker;
    if (found == null && open != null) {
      found = open.get();
      made = found;
      maker = null;
    }
    if (found == null) {
      throw new IllegalStateException("needs itself during its construction");
    }
    return found;
  }
}

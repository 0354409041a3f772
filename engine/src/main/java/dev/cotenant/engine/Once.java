package dev.cotenant.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes something when it is first asked for. Thread safe. */
final class Once<T> implements Supplier<T> {
  private @Nullable Supplier<T> maker;
  private volatile @Nullable T made;

  Once(Supplier<T> maker) {
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
      throw new IllegalStateException("asked for itself while it was made");
    }
    return found;
  }
}

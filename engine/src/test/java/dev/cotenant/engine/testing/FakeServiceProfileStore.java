package dev.cotenant.engine.testing;

import dev.cotenant.engine.serving.ServiceProfileStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store in a list, without limits. */
public final class FakeServiceProfileStore implements ServiceProfileStore {
  private final List<Stored> stored = new ArrayList<>();
  private long state;

  @Override
  public Upload put(List<Stored> others) {
    state++;
    stored.addAll(others);
    return Upload.STORED;
  }

  @Override
  public int delete(String namespace, String name, @Nullable String device) {
    state++;
    int before = stored.size();
    stored.removeIf(one -> one.namespace().equals(namespace) && one.name().equals(name));
    return before - stored.size();
  }

  @Override
  public long state() {
    return state;
  }

  @Override
  public List<Stored> all() {
    return List.copyOf(stored);
  }
}

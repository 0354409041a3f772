package dev.cotenant.engine.testing;

import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.engine.serving.ServingVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store in memory that can be down. */
public final class FakeServingStore implements ServingStore {
  private final List<ServingStart> starts = new ArrayList<>();
  private final List<ServingVersion> versions = new ArrayList<>();
  private boolean isDown;

  /** Lets every call fail, or none. */
  public void setDown(boolean down) {
    isDown = down;
  }

  /** Deletes all but the newest starts. */
  public void trim(int most) {
    starts.subList(0, Math.max(0, starts.size() - most)).clear();
  }

  /** Deletes all starts and versions. */
  public void clear() {
    starts.clear();
    versions.clear();
  }

  private void requireUp() {
    if (isDown) {
      throw new StoreException("the store is down", new IllegalStateException());
    }
  }

  @Override
  public List<Boolean> add(List<ServingStart> added) {
    requireUp();
    List<Boolean> results = new ArrayList<>();
    for (ServingStart start : added) {
      boolean isNew = starts.stream().noneMatch(old -> isSame(old, start));
      if (isNew) {
        starts.add(start);
      }
      results.add(isNew);
    }
    return results;
  }

  private static boolean isSame(ServingStart old, ServingStart start) {
    return old.namespace().equals(start.namespace())
        && (start.key() == null
            ? old.document().equals(start.document())
            : start.key().equals(old.key()));
  }

  @Override
  public Map<String, String> states() {
    requireUp();
    Map<String, String> states = new TreeMap<>();
    starts.forEach(start -> states.merge(start.namespace(), start.at().toString(), String::concat));
    versions.forEach(version -> states.merge(version.namespace(), "v", String::concat));
    return states;
  }

  @Override
  public List<ServingStart> starts(String namespace) {
    requireUp();
    return starts.stream().filter(start -> start.namespace().equals(namespace)).toList();
  }

  @Override
  public List<ServingVersion> versions(String namespace) {
    requireUp();
    return versions.stream().filter(version -> version.namespace().equals(namespace)).toList();
  }

  @Override
  public boolean add(ServingVersion version) {
    requireUp();
    boolean isNew =
        versions.stream()
            .noneMatch(old ->
                old.namespace().equals(version.namespace())
                    && old.release().equals(version.release())
                    && old.number() == version.number());
    if (isNew) {
      versions.add(version);
    }
    return isNew;
  }
}

package dev.cotenant.service.evidence;

import java.util.ArrayList;
import java.util.List;

/** Measured runs in memory. */
public final class MemoryOfDrift implements DriftStore {
  private final List<Run> runs = new ArrayList<>();

  @Override
  public void add(Run run) {
    runs.add(run);
  }

  @Override
  public List<Run> newest() {
    return List.copyOf(runs);
  }
}

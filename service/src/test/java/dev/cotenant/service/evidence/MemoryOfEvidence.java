package dev.cotenant.service.evidence;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts in memory. */
public final class MemoryOfEvidence implements EvidenceStore {
  private final Map<Key, Long> counts = new HashMap<>();

  @Override
  public void add(Map<Key, Long> more) {
    more.forEach((key, amount) -> counts.merge(key, amount, Long::sum));
  }

  @Override
  public List<Entry> all() {
    return counts.entrySet().stream()
        .map(entry -> new Entry(entry.getKey(), entry.getValue()))
        .toList();
  }

  @Override
  public void trim(long beforeDay) {
    counts.keySet().removeIf(key -> key.day() < beforeDay);
  }
}

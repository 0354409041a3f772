package dev.cotenant.lab.untimed;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * What came of one policy on one trace.
 *
 * @param trace what was replayed
 * @param protocol how, such as {@code pairs}
 * @param policy who decided
 * @param figures by names with their unit, in reading order; meaningless figures are left out
 */
public record SimulationRow(
    String trace, String protocol, String policy, SequencedMap<String, Double> figures) {
  public SimulationRow {
    figures = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(figures));
  }

  /** Everything under its key. */
  public Map<String, Object> asMap() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("trace", trace);
    all.put("protocol", protocol);
    all.put("policy", policy);
    all.putAll(figures);
    return all;
  }
}

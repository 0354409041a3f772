package dev.cotenant.service.serving;

import java.time.Instant;
import java.util.Map;

/** What servers of language models export about themselves; may block. */
@FunctionalInterface
public interface EngineMetrics {
  /**
   * A server that answers.
   *
   * @param kvTokens tokens of its KV cache
   * @param usage share of it in use
   * @param requests running and waiting ones
   */
  record State(double kvTokens, double usage, double requests) {}

  /**
   * One look.
   *
   * @param servers by {@code namespace/pod}
   * @param failure why there are none; empty where the look was good
   */
  record Reading(Map<String, State> servers, String failure) {
    public Reading {
      servers = Map.copyOf(servers);
    }
  }

  /** What is known now. */
  Reading read(Instant now);
}

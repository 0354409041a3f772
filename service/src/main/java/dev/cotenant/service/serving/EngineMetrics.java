package dev.cotenant.service.serving;

import java.time.Instant;
import java.util.Map;

/** What servers of language models export about themselves; may block. */
public interface EngineMetrics extends AutoCloseable {
  /**
   * One look.
   *
   * @param tokens of the KV cache of each server, by {@code namespace/pod}
   * @param failure why there are none; empty where the look was good
   */
  record Reading(Map<String, Double> tokens, String failure) {
    public Reading {
      tokens = Map.copyOf(tokens);
    }
  }

  /** Of no server. */
  EngineMetrics NONE =
      new EngineMetrics() {
        @Override
        public Reading read(Instant now) {
          return new Reading(Map.of(), "");
        }

        @Override
        public void close() {
          // it holds nothing
        }
      };

  /** What is known now. */
  Reading read(Instant now);

  @Override
  void close();
}

package dev.cotenant.service.serving;

import java.time.Instant;
import java.util.Map;

/** What servers of language models export about themselves; may block. */
public interface EngineMetrics extends AutoCloseable {
  /**
   * A server that answers: vLLM exports nothing before its KV cache is allocated and its graphs are
   * captured.
   *
   * @param tokens of its KV cache
   * @param at when it was last scraped
   */
  record Served(double tokens, Instant at) {}

  /**
   * One look.
   *
   * @param servers by {@code namespace/pod}
   * @param failure why there are none; empty where the look was good
   */
  record Reading(Map<String, Served> servers, String failure) {
    public Reading {
      servers = Map.copyOf(servers);
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

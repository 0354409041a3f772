package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.UrlReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Models behind URLs. A host that was too slow is left alone for a while, so that the models of
 * others are read. Why a host cannot be reached is the log's alone: who names URLs in pods learns
 * nothing about the network.
 */
final class UrlModels {
  private static final System.Logger LOG = System.getLogger(UrlModels.class.getName());

  private final Function<String, LanguageModel> reader;
  private final InstantSource clock;
  private final Duration rest;

  /** Hosts with a pause after slow answers; at most the hosts of the allowed URLs. */
  private final Map<String, Instant> slow = new ConcurrentHashMap<>();

  /** Hosts, until the log names them again. */
  private final Map<String, Instant> logged = new ConcurrentHashMap<>();

  /**
   * What came of a reading.
   *
   * @param mayPass whether it has failed for now, and what was known before may hold
   */
  record Attempt(Described described, boolean mayPass) {}

  /**
   * @param reader of what lies behind an allowed URL
   * @param rest of a host that was too slow, and between lines of the log about one
   */
  UrlModels(Function<String, LanguageModel> reader, InstantSource clock, Duration rest) {
    this.reader = reader;
    this.clock = clock;
    this.rest = rest;
  }

  /** Reads what lies behind an allowed URL. */
  Attempt read(String url) {
    String origin = AllowedUrls.origin(url);
    if (isMarked(slow, origin)) {
      return failure(origin + " did not respond in time and is read again", true);
    }
    try {
      return new Attempt(new Described.Known(reader.apply(url)), false);
    } catch (InputException e) {
      return refused(url, origin, e);
    } catch (RuntimeException e) { // of whatever kind: the models of others are read all the same
      return failure(why(e), false);
    }
  }

  private Attempt refused(String url, String origin, InputException e) {
    if (e.code().equals(UrlReader.TOO_SLOW)) {
      slow.put(origin, clock.instant().plus(rest));
      return failure(why(e), true);
    }
    if (e.getCause() instanceof IOException) {
      if (!isMarked(logged, origin)) {
        logged.put(origin, clock.instant().plus(rest));
        LOG.log(System.Logger.Level.WARNING, e.getMessage());
      }
      return failure(
          url
              + ": its host cannot be reached, is not trusted or does not answer;"
              + " the log of the reader says which",
          true);
    }
    return failure(why(e), e.code().equals(UrlReader.UNREADABLE));
  }

  private boolean isMarked(Map<String, Instant> hosts, String origin) {
    Instant now = clock.instant();
    hosts.values().removeIf(until -> !now.isBefore(until));
    return hosts.containsKey(origin);
  }

  private static Attempt failure(String why, boolean mayPass) {
    return new Attempt(new Described.Missing(why), mayPass);
  }

  /** A message as a clause. */
  static String why(RuntimeException e) {
    return Objects.requireNonNullElse(e.getMessage(), e.toString()).replaceFirst("\\.$", "");
  }
}

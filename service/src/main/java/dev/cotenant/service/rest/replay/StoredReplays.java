package dev.cotenant.service.rest.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.replay.ReplayState;
import dev.cotenant.service.replay.ReplayStore;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The newest replay as REST shows it, in the database: over restarts, and of all replicas. */
public final class StoredReplays {
  private static final Logger LOG = Logger.getLogger(StoredReplays.class);

  private final ReplayStore store;
  private final ObjectMapper json;

  /**
   * @param json writes answers as REST does
   */
  public StoredReplays(ReplayStore store, ObjectMapper json) {
    this.store = store;
    this.json = json;
  }

  /** Stores one that has ended; without a database this process alone shows it. */
  public void put(ReplayState.Finished finished) {
    try {
      store.put(json.writeValueAsString(ReplayView.of(finished)));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    } catch (StoreException e) {
      LOG.warnf("The replay is not stored: %s", e.getMessage());
    }
  }

  /** The stored one where it is newer than what this process knows. */
  ReplayView newest(ReplayState own) {
    ReplayView known = ReplayView.of(own);
    return own instanceof ReplayState.Running
        ? known
        : stored().filter(one -> isAfter(one, known)).orElse(known);
  }

  private static boolean isAfter(ReplayView one, ReplayView other) {
    @Nullable Instant end = one.endedAt();
    return end != null && (other.endedAt() == null || end.isAfter(other.endedAt()));
  }

  private Optional<ReplayView> stored() {
    try {
      return store.newest().flatMap(this::parsed);
    } catch (StoreException _) {
      return Optional.empty();
    }
  }

  /** Answers of later versions may have more. */
  private Optional<ReplayView> parsed(String content) {
    try {
      return Optional.of(
          json.readerFor(ReplayView.class)
              .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
              .readValue(content));
    } catch (JsonProcessingException e) {
      LOG.warnf("The stored replay cannot be read: %s", e.getOriginalMessage());
      return Optional.empty();
    }
  }
}

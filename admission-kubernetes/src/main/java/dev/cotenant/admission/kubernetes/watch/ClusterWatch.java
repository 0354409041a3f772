package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.leader.Leadership;
import dev.cotenant.admission.kubernetes.state.StateSource;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the cluster for the gate controller while this process leads: pods, nodes, volumes and
 * opted-in namespaces. Other replicas watch nothing.
 */
public final class ClusterWatch implements Leadership.Follower {
  private final GateFeed feed;
  private final TermWatch.Sources sources;
  private @Nullable TermWatch current;

  /**
   * @param cluster the API server and the loops' supervisor
   * @param feed receives the events
   * @param beside further state of a term
   * @param warnings one line each
   */
  public ClusterWatch(
      LoopContext cluster, GateFeed feed, Beside beside, Consumer<String> warnings) {
    this(
        feed,
        new TermWatch.Sources(
            new ListWatch.Means(cluster.server(), ListWatch.Timing.DEFAULT, cluster.supervisor()),
            beside,
            TermWatch.Healths.of(warnings)));
  }

  /**
   * State of a term beside pods and nodes.
   *
   * @param optedIn is updated by the watch
   * @param persisted the state of earlier leaders
   */
  public record Beside(OptedInNamespaces optedIn, StateSource persisted) {}

  public ClusterWatch(GateFeed feed, TermWatch.Sources sources) {
    this.feed = feed;
    this.sources = sources;
  }

  /** Lists; the feed's term begins when everything is listed. */
  @Override
  public synchronized void gained(long term) {
    lost();
    TermWatch begun = new TermWatch(term, feed, sources);
    current = begun;
    begun.start();
  }

  /** Ends the feed's term, then the watches. */
  @Override
  public synchronized void lost() {
    TermWatch ending = current;
    if (ending != null) {
      current = null;
      ending.close();
    }
  }

  /** Whether this process leads and the feed's term has begun. */
  public synchronized boolean isSynced() {
    return current != null && current.hasBegun();
  }

  /** The longest silence of a required watch; empty without leadership. */
  public synchronized Optional<Duration> age() {
    return current == null
        ? Optional.empty()
        : sources.health().required().stream()
            .map(health -> Duration.ofNanos(health.silentNanos()))
            .max(Duration::compareTo);
  }

  /** The unreadable objects so far. */
  public long skipped() {
    return sources.health().all().stream().mapToLong(WatchHealth::skipped).sum();
  }
}

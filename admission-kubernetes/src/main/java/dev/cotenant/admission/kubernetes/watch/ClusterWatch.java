package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.kubernetes.api.Supervised;
import dev.cotenant.admission.kubernetes.leader.Leadership;
import dev.cotenant.admission.kubernetes.state.StateSource;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows the cluster to the gate controller while this process leads: pods that ask for GPUs, nodes,
 * and the namespaces that are opted in. Whoever does not lead watches nothing, so that it costs
 * nothing.
 */
public final class ClusterWatch implements Leadership.Follower {
  private final GateFeed feed;
  private final TermWatch.Sources sources;
  private @Nullable TermWatch current;

  /**
   * @param cluster where it is, and who runs the loops that watch it
   * @param feed is told
   * @param beside what is known beside pods and nodes
   * @param warnings takes one line each
   */
  public ClusterWatch(Supervised cluster, GateFeed feed, Beside beside, Consumer<String> warnings) {
    this(
        feed,
        new TermWatch.Sources(
            new ListWatch.Means(cluster.server(), ListWatch.Timing.DEFAULT, cluster.supervisor()),
            beside,
            new TermWatch.Healths(
                new WatchHealth("pods", warnings),
                new WatchHealth("nodes", warnings),
                new WatchHealth("namespaces", warnings),
                new WatchHealth("kept state", warnings))));
  }

  /**
   * What is known beside pods and nodes.
   *
   * @param optedIn is kept up to date
   * @param kept what earlier leaders left
   */
  public record Beside(OptedInNamespaces optedIn, StateSource kept) {}

  public ClusterWatch(GateFeed feed, TermWatch.Sources sources) {
    this.feed = feed;
    this.sources = sources;
  }

  /** Begins to list; the feed's term begins when everything is there. */
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

  /** Whether this process leads and the feed has been told everything. */
  public synchronized boolean isSynced() {
    return current != null && current.hasBegun();
  }

  /** How long the most silent of the watches has been silent; empty while not leading. */
  public synchronized Optional<Duration> age() {
    return current == null
        ? Optional.empty()
        : sources.health().all().stream()
            .map(health -> Duration.ofNanos(health.silentNanos()))
            .max(Duration::compareTo);
  }

  /** How many objects could not be read so far. */
  public long skipped() {
    return sources.health().all().stream().mapToLong(WatchHealth::skipped).sum();
  }

  /** How often a kind of objects was listed so far. */
  public long lists() {
    return sources.health().all().stream().mapToLong(WatchHealth::lists).sum();
  }
}

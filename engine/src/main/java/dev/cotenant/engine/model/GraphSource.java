package dev.cotenant.engine.model;

import dev.cotenant.features.ModelGraph;
import org.jspecify.annotations.Nullable;

/** A parsed graph that is in memory, or that is read when it is needed. Thread safe. */
public interface GraphSource {
  /**
   * The graph, which is read now where it is not in memory.
   *
   * @throws dev.cotenant.domain.InputException where the file is not usable
   * @throws dev.cotenant.engine.lifecycle.StoreException where it cannot be read
   */
  ModelGraph graph();

  /** Whether the graph is in memory; where it is not, it is read soon. */
  boolean isInMemory();

  /** Why the graph is not usable; null where it may be. */
  @Nullable String problem();

  /** A graph that stays in memory. */
  static GraphSource of(ModelGraph graph) {
    return new InMemory(graph);
  }

  /** A graph that stays in memory. */
  record InMemory(ModelGraph graph) implements GraphSource {
    @Override
    public boolean isInMemory() {
      return true;
    }

    @Override
    public @Nullable String problem() {
      return null;
    }
  }
}

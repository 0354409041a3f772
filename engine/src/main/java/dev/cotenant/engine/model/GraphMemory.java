package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.features.ModelGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Graphs of stored models, by the SHA-256 of their files: an LRU cache within a memory budget.
 * Others are read again when they are needed, one after another, for reading takes memory. Thread
 * safe.
 */
public final class GraphMemory {
  private final long heapBytes;
  private final Function<String, ModelGraph> reader;
  private final Object reading = new Object();

  /** In the order of their last use. */
  private final Map<String, ModelGraph> graphs = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, String> problems = new HashMap<>();
  private final Set<String> wanted = new LinkedHashSet<>();
  private long taken;

  /**
   * @param heapBytes of all graphs together, by {@link ModelGraph#heapBytes}
   * @param reader reads the graph of the file with this SHA-256
   */
  public GraphMemory(long heapBytes, Function<String, ModelGraph> reader) {
    this.heapBytes = heapBytes;
    this.reader = reader;
  }

  /** The graph of this file. */
  public GraphSource of(String sha256) {
    return new Stored(sha256);
  }

  /** Keeps a graph that was read already, where it has room. */
  public synchronized void put(String sha256, ModelGraph graph) {
    problems.remove(sha256);
    wanted.remove(sha256);
    if (graph.heapBytes() > heapBytes) {
      return;
    }
    ModelGraph before = graphs.put(sha256, graph);
    taken += graph.heapBytes() - (before == null ? 0 : before.heapBytes());
    Iterator<ModelGraph> oldest = graphs.values().iterator();
    while (taken > heapBytes) {
      taken -= oldest.next().heapBytes();
      oldest.remove();
    }
  }

  /** Forgets which files are not usable, so that they are read again. */
  public synchronized void retry() {
    problems.clear();
  }

  /**
   * Reads the graphs that were needed and are not in memory.
   *
   * @return whether there were any
   * @throws dev.cotenant.engine.lifecycle.StoreException where they cannot be read; they are read
   *     by a later call
   */
  public boolean readWanted() {
    List<String> now;
    synchronized (this) {
      now = new ArrayList<>(wanted);
    }
    for (String sha256 : now) {
      try {
        read(sha256);
      } catch (InputException e) {
        synchronized (this) {
          problems.put(sha256, String.valueOf(e.getMessage()));
          wanted.remove(sha256);
        }
      }
    }
    return !now.isEmpty();
  }

  private ModelGraph read(String sha256) {
    synchronized (reading) {
      ModelGraph present = find(sha256);
      if (present != null) {
        return present;
      }
      ModelGraph graph = reader.apply(sha256);
      put(sha256, graph);
      return graph;
    }
  }

  private synchronized @Nullable ModelGraph find(String sha256) {
    return graphs.get(sha256);
  }

  private synchronized boolean findOrWant(String sha256) {
    if (graphs.get(sha256) != null) {
      return true;
    }
    if (!problems.containsKey(sha256)) {
      wanted.add(sha256);
    }
    return false;
  }

  private synchronized @Nullable String problem(String sha256) {
    return problems.get(sha256);
  }

  private final class Stored implements GraphSource {
    private final String sha256;

    Stored(String sha256) {
      this.sha256 = sha256;
    }

    @Override
    public ModelGraph graph() {
      ModelGraph present = find(sha256);
      return present == null ? read(sha256) : present;
    }

    @Override
    public boolean isInMemory() {
      return findOrWant(sha256);
    }

    @Override
    public @Nullable String problem() {
      return GraphMemory.this.problem(sha256);
    }
  }
}

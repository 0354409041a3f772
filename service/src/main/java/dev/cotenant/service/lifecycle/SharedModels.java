package dev.cotenant.service.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.GraphMemory;
import dev.cotenant.engine.model.GraphSource;
import dev.cotenant.engine.model.ModelQuota;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.Registered;
import dev.cotenant.engine.model.RegisteredModel;
import dev.cotenant.features.ModelGraph;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Registered models of all replicas: persisted in the store, answered from memory. Models of
 * another replica are known from the next poll on. Their graphs are read when they are needed, and
 * the memory has those that were used last.
 */
public final class SharedModels {
  private static final Logger LOG = Logger.getLogger(SharedModels.class);

  private final ModelRegistry registry;
  private final RegisteredModelStore store;
  private final Path reading;
  private final InstantSource clock;
  private final ModelQuota quota;
  private final GraphMemory graphs;
  private final Set<String> unusable = new HashSet<>();
  private List<RegisteredModelStore.Name> known = List.of();

  /** Names registered in the store, with their local meaning if they had one. */
  private final Set<String> stored = new HashSet<>();

  private final Map<String, Registered> shipped = new HashMap<>();

  /** What a caller replaces. */
  public sealed interface Replaced {
    /** Nothing: the name is new, or means this file already. */
    record Nothing() implements Replaced {}

    /** Whatever the name means. */
    record Anything() implements Replaced {}

    /**
     * One of these files.
     *
     * @param sha256 of each
     */
    record Files(Set<String> sha256) implements Replaced {
      public Files {
        sha256 = Set.copyOf(sha256);
      }
    }
  }

  /** What became of a registration. */
  public sealed interface Registration {
    /** The name means this model. */
    record Done(Registered model) implements Registration {}

    /**
     * It still means what the caller does not replace.
     *
     * @param sha256 of that; null where it means nothing
     */
    record Refused(@Nullable String sha256) implements Registration {}
  }

  /**
   * @param reading directory of files while they are read
   * @param quota of the models in memory
   */
  public SharedModels(
      ModelRegistry registry,
      RegisteredModelStore store,
      Path reading,
      InstantSource clock,
      ModelQuota quota) {
    this.quota = quota;
    this.graphs = new GraphMemory(quota.heapBytes(), this::graph);
    this.registry = registry;
    this.store = store;
    this.reading = reading;
    this.clock = clock;
  }

  /**
   * Registers a file's graph or language model locally and, through the store, everywhere; one at a
   * time, since reading takes memory.
   *
   * @param replaced what the name may mean until now
   * @throws InputException when name or content are not usable
   * @throws QuotaException if the quota is exhausted; nothing has changed then
   * @throws StoreException when it cannot be read or stored now; nothing has changed then
   */
  public synchronized Registration register(String name, Path file, Replaced replaced) {
    Registered model = registry.read(name, file);
    refresh();
    String now = registry.registered(name).map(Registered::sha256).orElse(null);
    if (!model.sha256().equals(now) && !isReplaced(now, replaced)) {
      return new Registration.Refused(now);
    }
    quota.require(model, registry.all());
    String before = Objects.requireNonNullElse(now, model.sha256()); // or nothing
    if (!store(model, replaced instanceof Replaced.Anything ? null : before, file)) {
      refresh(); // another replica was faster
      return new Registration.Refused(
          registry.registered(name).map(Registered::sha256).orElse(null));
    }
    adopt(model);
    return new Registration.Done(model);
  }

  private static boolean isReplaced(@Nullable String now, Replaced replaced) {
    return switch (replaced) {
      case Replaced.Nothing _ -> now == null;
      case Replaced.Anything _ -> now != null;
      case Replaced.Files(Set<String> sha256) -> now != null && sha256.contains(now);
    };
  }

  /**
   * Forgets a name here and, through the store, everywhere; a shipped model of that name is back.
   *
   * @throws InputException ({@code unknown-model})
   * @throws ConflictException ({@code shipped-model}) where the name is shipped and means that
   */
  public void remove(String name) {
    if (!store.remove(name)) {
      if (registry.registered(name).isPresent() && !isStored(name)) {
        throw new ConflictException(
            "shipped-model",
            "'" + name + "' is in the folder of models of this installation: remove it there.");
      }
      throw registry.unknown(name);
    }
    refresh();
  }

  private synchronized boolean isStored(String name) {
    return stored.contains(name);
  }

  private synchronized void adopt(Registered model) {
    if (stored.add(model.name())) {
      registry.registered(model.name()).ifPresent(was -> shipped.put(model.name(), was));
    }
    registry.put(model instanceof RegisteredModel graph ? bounded(graph) : model);
  }

  /** A graph of the installation's folder stays in memory and is shared by stored names. */
  private RegisteredModel bounded(RegisteredModel model) {
    boolean isShipped =
        registry.find("sha256:" + model.sha256()).stream()
            .anyMatch(other -> other.source().equals(model.source()));
    if (isShipped || !(model.source() instanceof GraphSource.InMemory(ModelGraph graph))) {
      return model;
    }
    graphs.put(model.sha256(), graph);
    return new RegisteredModel(model.name(), model.sha256(), graphs.of(model.sha256()));
  }

  private boolean store(Registered model, @Nullable String before, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return store.put(
          new RegisteredModelStore.Name(model.name(), model.sha256()), before, in, clock.instant());
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Registers what is new in the store, and forgets what is gone; what had no room is tried again
   * once anything has changed.
   */
  public synchronized void refresh() {
    List<RegisteredModelStore.Name> names = store.names();
    if (!names.equals(known)) {
      unusable.clear();
      graphs.retry();
      known = names;
    }
    Set<String> gone = new HashSet<>(stored);
    names.forEach(name -> gone.remove(name.name()));
    gone.forEach(this::forget);
    for (RegisteredModelStore.Name name : names) {
      if (!isRegistered(name) && !unusable.contains(name.sha256())) {
        load(name);
      }
    }
  }

  private void forget(String name) {
    stored.remove(name);
    Registered before = shipped.remove(name);
    if (before == null) {
      registry.remove(name);
    } else {
      registry.put(before);
    }
    LOG.infof("Model %s is no longer registered", name);
  }

  private boolean isRegistered(RegisteredModelStore.Name name) {
    return registry
        .registered(name.name())
        .map(model -> model.sha256().equals(name.sha256()))
        .orElse(false);
  }

  /**
   * Reads the graphs that decisions needed and that are not in memory.
   *
   * @return whether any graph was read, so that decisions may change
   */
  public boolean readGraphs() {
    return graphs.readWanted();
  }

  private void load(RegisteredModelStore.Name name) {
    try {
      Registered model = found(name);
      quota.requireName(model, registry.all());
      adopt(model);
      LOG.infof("Model %s is registered", name.name());
    } catch (InputException | QuotaException e) {
      unusable.add(name.sha256());
      LOG.warnf("Model not registered: %s", e.getMessage());
    }
  }

  private Registered found(RegisteredModelStore.Name name) {
    Optional<RegisteredModel> same = registry.find("sha256:" + name.sha256());
    if (same.isPresent()) {
      return new RegisteredModel(name.name(), name.sha256(), same.get().source());
    }
    return store.read(name.sha256(), SharedModels::isDescription)
        ? read(name.sha256(), file -> registry.read(name.name(), file))
        : new RegisteredModel(name.name(), name.sha256(), graphs.of(name.sha256()));
  }

  private static boolean isDescription(InputStream in) {
    try {
      return ModelRegistry.isDescription(in.read());
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** For a local file: descriptors or disk space are exhausted, perhaps temporarily. */
  private static StoreException unreadable(IOException why) {
    return new StoreException("A model cannot be read now: " + why + ".", why);
  }

  private ModelGraph graph(String sha256) {
    ModelGraph graph = read(sha256, registry::parse);
    if (graph.heapBytes() > quota.heapBytes()) {
      throw InputException.invalidArgument(
          "model-too-large", "its graph exceeds the memory limit of all graphs: replace it.");
    }
    return graph;
  }

  private <T> T read(String sha256, Function<Path, T> reader) {
    return store.read(sha256, in -> read(in, reader));
  }

  private <T> T read(InputStream in, Function<Path, T> reader) {
    try {
      Path file = Files.createTempFile(Files.createDirectories(reading), "upload", ".part");
      try {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return reader.apply(file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }
}

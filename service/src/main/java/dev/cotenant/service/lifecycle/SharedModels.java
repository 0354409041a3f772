package dev.cotenant.service.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.model.ModelQuota;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.Registered;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Registered models of all replicas: persisted in the store, answered from memory. Models of
 * another replica are loaded at the next poll.
 */
public final class SharedModels {
  private static final Logger LOG = Logger.getLogger(SharedModels.class);

  private final ModelRegistry registry;
  private final RegisteredModelStore store;
  private final Path reading;
  private final InstantSource clock;
  private final ModelQuota quota;
  private final Set<String> unusable = new HashSet<>();
  private List<RegisteredModelStore.Name> known = List.of();

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
    this.registry = registry;
    this.store = store;
    this.reading = reading;
    this.clock = clock;
  }

  /**
   * Registers a file's graph or language model here and, through the store, everywhere; one after
   * the other, for reading takes memory.
   *
   * @throws InputException when name or content are not usable
   * @throws QuotaException where there is no room for it; nothing has changed then
   * @throws dev.cotenant.engine.lifecycle.StoreException when it cannot be stored; nothing has
   *     changed then
   */
  public synchronized Registered register(String name, Path file) {
    Registered model = registry.read(name, file);
    quota.require(model, registry.all());
    store(model, file);
    registry.put(model);
    return model;
  }

  private void store(Registered model, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      store.put(new RegisteredModelStore.Name(model.name(), model.sha256()), in, clock.instant());
    } catch (IOException e) {
      throw new UncheckedIOException("Model " + model.name() + " cannot be read", e);
    }
  }

  /** Loads what is new in the store; what had no room is read again once anything has changed. */
  public synchronized void refresh() {
    List<RegisteredModelStore.Name> names = store.names();
    if (!names.equals(known)) {
      unusable.clear();
      known = names;
    }
    for (RegisteredModelStore.Name name : names) {
      if (!isRegistered(name) && !unusable.contains(name.sha256())) {
        load(name);
      }
    }
  }

  private boolean isRegistered(RegisteredModelStore.Name name) {
    return registry
        .registered(name.name())
        .map(model -> model.sha256().equals(name.sha256()))
        .orElse(false);
  }

  private void load(RegisteredModelStore.Name name) {
    try {
      Registered model = store.read(name.sha256(), in -> read(name.name(), in));
      quota.require(model, registry.all());
      registry.put(model);
      LOG.infof("Model %s is registered", name.name());
    } catch (InputException | QuotaException e) {
      unusable.add(name.sha256());
      LOG.warnf("Model not registered: %s", e.getMessage());
    }
  }

  private Registered read(String name, InputStream in) {
    try {
      Path file = Files.createTempFile(Files.createDirectories(reading), "upload", ".part");
      try {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return registry.read(name, file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Model " + name + " cannot be read from the store", e);
    }
  }
}

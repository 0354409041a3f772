package dev.cotenant.service.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModel;
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
 * Registered models that all replicas know: kept in the store, answered from memory. What another
 * replica registered is learned at the next look.
 */
public final class SharedModels {
  private static final Logger LOG = Logger.getLogger(SharedModels.class);

  private final ModelRegistry registry;
  private final RegisteredModelStore store;
  private final Directories directories;
  private final InstantSource clock;
  private final Set<String> unusable = new HashSet<>();
  private boolean imported;

  /**
   * Where files are.
   *
   * @param reading for files while they are read
   * @param former where a version before the store kept registered files; what is only there is
   *     taken over
   */
  public record Directories(Path reading, Path former) {}

  public SharedModels(
      ModelRegistry registry,
      RegisteredModelStore store,
      Directories directories,
      InstantSource clock) {
    this.registry = registry;
    this.store = store;
    this.directories = directories;
    this.clock = clock;
  }

  /**
   * Registers a file's graph here and, through the store, everywhere.
   *
   * @throws InputException when name or content are not usable
   * @throws dev.cotenant.engine.lifecycle.StoreException when it cannot be kept; nothing changed
   *     then
   */
  public RegisteredModel register(String name, Path file) {
    RegisteredModel model = registry.read(name, file);
    keep(model, file);
    registry.put(model);
    return model;
  }

  private void keep(RegisteredModel model, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      store.put(new RegisteredModelStore.Name(model.name(), model.sha256()), in, clock.instant());
    } catch (IOException e) {
      throw new UncheckedIOException("Model " + model.name() + " cannot be read", e);
    }
  }

  /** Takes over what is new in the store. */
  public synchronized void refresh() {
    List<RegisteredModelStore.Name> names = store.names();
    if (!imported) {
      importFormer(names);
      imported = true;
    }
    for (RegisteredModelStore.Name name : names) {
      boolean known =
          registry.find(name.name()).map(m -> m.sha256().equals(name.sha256())).orElse(false);
      if (!known && !unusable.contains(name.sha256())) {
        load(name);
      }
    }
  }

  private void load(RegisteredModelStore.Name name) {
    try {
      RegisteredModel model = store.read(name.sha256(), in -> read(name.name(), in));
      registry.put(model);
      LOG.infof("Model %s is registered", name.name());
    } catch (InputException e) {
      unusable.add(name.sha256());
      LOG.warnf("Model not registered: %s", e.getMessage());
    }
  }

  private RegisteredModel read(String name, InputStream in) {
    try {
      Path file =
          Files.createTempFile(Files.createDirectories(directories.reading), "upload", ".part");
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

  /** Files of a Cotenant that knew no database; they stay where they are. */
  private void importFormer(List<RegisteredModelStore.Name> names) {
    Set<String> kept = new HashSet<>();
    names.forEach(name -> kept.add(name.name()));
    if (!Files.isDirectory(directories.former)) {
      return;
    }
    for (Path file : InputFiles.list(directories.former, ".onnx", "models")) {
      String name = file.getFileName().toString().replaceFirst("\\.onnx$", "");
      if (!kept.contains(name)) {
        importFormer(name, file);
      }
    }
  }

  private void importFormer(String name, Path file) {
    try {
      register(name, file);
      LOG.infof("Model %s was taken over from %s", name, file);
    } catch (InputException e) {
      LOG.warnf("Model not taken over: %s", e.getMessage());
    }
  }
}

package dev.cotenant.predictor.plugin;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Loaders by the folder of their jars, for the life of the process. */
final class PluginFolders {
  static final Map<Path, RegressorLoader> LOADERS = new ConcurrentHashMap<>();

  private PluginFolders() {}
}

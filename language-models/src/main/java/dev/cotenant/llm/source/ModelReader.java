package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.LanguageModel.Adapter;
import dev.cotenant.llm.model.StoredWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a language model from a Hugging Face folder, a repository of the Hugging Face cache, a bare
 * {@code config.json} or a GGUF file: headers alone, never a pickle, never code.
 *
 * @param limits what is refused
 */
public record ModelReader(SourceLimits limits) {
  static final String CONFIG = "config.json";
  static final String INDEX = "model.safetensors.index.json";
  private static final String SUFFIX = ".safetensors";
  private static final String GGUF = ".gguf";

  /** The same weights once more under Mistral's own names, beside those of transformers. */
  private static final String COPY = "consolidated";

  private static final String ADAPTER = "adapter_config.json";
  private static final int MAX_RANK = 1 << 16;

  /** Within the default limits. */
  public static ModelReader standard() {
    return new ModelReader(SourceLimits.DEFAULT);
  }

  /** Whether a path names a GGUF file. */
  public static boolean isGguf(Path path) {
    return String.valueOf(path.getFileName()).endsWith(GGUF);
  }

  /**
   * Whether a path looks like a language model rather than an ONNX file: a folder, a GGUF file, a
   * JSON file or weights.
   */
  public static boolean reads(Path path) {
    String name = String.valueOf(path.getFileName());
    return Files.isDirectory(path)
        || name.endsWith(GGUF)
        || name.endsWith(".json")
        || name.endsWith(SUFFIX);
  }

  /**
   * Reads a model.
   *
   * @throws InputException ({@code model-not-found}, {@code weights-without-model}, {@code
   *     model-unreadable}, {@code not-json}, {@code bad-model-config}, {@code bad-model-index},
   *     {@code bad-safetensors}, {@code bad-gguf}, {@code header-too-large}, {@code
   *     too-many-tensors})
   */
  public LanguageModel read(Path path) {
    if (!Files.isDirectory(path)) {
      if (Files.exists(path) && String.valueOf(path.getFileName()).endsWith(SUFFIX)) {
        throw InputException.malformed(
            "weights-without-model",
            ModelFiles.name(path) + ": holds weights alone; name the folder of its config.json.");
      }
      return isGguf(path) ? GgufReader.read(path, limits) : config(path, ModelFiles.name(path));
    }
    Path folder = snapshot(path);
    if (!Files.exists(folder.resolve(CONFIG))) {
      return withoutConfig(folder);
    }
    LanguageModel model = config(inside(CONFIG, folder), ModelFiles.name(path));
    List<String> warnings = new ArrayList<>(model.warnings());
    StoredWeights stored = stored(folder, warnings);
    Adapter adapter =
        Files.exists(folder.resolve(ADAPTER)) ? adapter(inside(ADAPTER, folder)) : null;
    return model.withFiles(stored, adapter, warnings);
  }

  private LanguageModel config(Path file, String name) {
    byte[] content = ModelFiles.read(file, limits.documentBytes());
    return ConfigReader.read(Json.read(content, ModelFiles.name(file), limits), name);
  }

  private LanguageModel withoutConfig(Path folder) {
    if (Files.exists(folder.resolve(ADAPTER))) {
      throw InputException.malformed(
          "adapter-without-model",
          ModelFiles.name(folder) + ": holds an adapter alone; name the folder of its base model.");
    }
    List<Path> files = listed(folder, GGUF);
    if (files.size() == 1) {
      return GgufReader.read(files.getFirst(), limits);
    }
    throw InputException.notFound(
        "model-not-found",
        ModelFiles.name(folder)
            + (files.isEmpty()
                ? ": holds no config.json and no GGUF file."
                : ": holds " + files.size() + " GGUF files; name one of them."));
  }

  /** The folder itself, or the one that refs/main names where it is a repository of the cache. */
  Path snapshot(Path folder) {
    Path snapshots = folder.resolve("snapshots");
    if (Files.exists(folder.resolve(CONFIG)) || !Files.isDirectory(snapshots)) {
      return folder;
    }
    Path main = folder.resolve("refs").resolve("main");
    if (Files.exists(main)) {
      String commit =
          new String(ModelFiles.read(main, 256), java.nio.charset.StandardCharsets.US_ASCII)
              .strip();
      requirePlain(commit, ModelFiles.name(main));
      return inside(commit, snapshots);
    }
    List<Path> found = listed(snapshots, "");
    if (found.size() != 1) {
      throw InputException.notFound(
          "model-not-found",
          ModelFiles.name(folder) + ": holds " + found.size() + " snapshots and no refs/main.");
    }
    return found.getFirst();
  }

  private @Nullable StoredWeights stored(Path folder, List<String> warnings) {
    List<Path> files = shards(folder, warnings);
    if (files.isEmpty()) {
      if (holdsPickles(folder)) {
        warnings.add("its weights are pickles, which are never read: counted from config.json");
      }
      return null;
    }
    StoredWeights sum = StoredWeights.NONE;
    for (Path file : files) {
      sum = sum.plus(SafetensorsHeader.read(file, limits));
      requireFew(sum, ModelFiles.name(folder), limits);
    }
    return sum;
  }

  /**
   * Refuses more tensors than a model may have.
   *
   * @throws InputException ({@code too-many-tensors})
   */
  static void requireFew(StoredWeights sum, String name, SourceLimits limits) {
    if (sum.tensors() > limits.tensors()) {
      throw InputException.tooLarge(
          "too-many-tensors", name + ": lists more than " + limits.tensors() + " tensors.");
    }
  }

  private static boolean holdsPickles(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.anyMatch(
          file -> String.valueOf(file.getFileName()).matches(".*\\.(bin|pt|pth)"));
    } catch (IOException e) {
      throw ModelFiles.unreadable(folder, e);
    }
  }

  private List<Path> shards(Path folder, List<String> warnings) {
    if (!Files.exists(folder.resolve(INDEX))) {
      List<Path> weights =
          listed(folder, SUFFIX).stream().filter(file -> !begins(file, "adapter_")).toList();
      List<Path> once = weights.stream().filter(file -> !begins(file, COPY)).toList();
      return once.isEmpty() ? weights : once;
    }
    Path index = inside(INDEX, folder);
    String place = ModelFiles.name(index);
    Set<String> names =
        shards(
            Json.read(ModelFiles.read(index, limits.documentBytes()), place, limits),
            place,
            limits);
    List<Path> present = new ArrayList<>();
    for (String name : names) {
      if (Files.exists(folder.resolve(name))) {
        present.add(inside(name, folder));
      }
    }
    if (present.size() < names.size()) {
      warnings.add(missing(names.size() - present.size(), names.size()));
      return List.of();
    }
    return present;
  }

  private static boolean begins(Path file, String prefix) {
    return String.valueOf(file.getFileName()).startsWith(prefix);
  }

  static String missing(int shards, int of) {
    return shards + " of " + of + " shards are missing: weights are counted from config.json";
  }

  /**
   * The files that an index names, each a plain name.
   *
   * @param place of the index, for messages
   * @throws InputException ({@code bad-model-index}, {@code too-many-shards})
   */
  static Set<String> shards(JsonFields index, String place, SourceLimits limits) {
    Set<String> names = new TreeSet<>();
    JsonFields map =
        index.object("weight_map").orElseThrow(() -> badIndex(place, "it has no weight_map"));
    for (String tensor : map.values().keySet()) {
      String name = map.text(tensor).orElseThrow(() -> badIndex(place, "a tensor names no file"));
      if (names.add(name)) {
        requirePlain(name, place);
      }
      if (names.size() > limits.files()) {
        throw InputException.tooLarge(
            "too-many-shards", place + ": names more than " + limits.files() + " files.");
      }
    }
    return names;
  }

  /** File names alone, so that nothing outside the folder is read. */
  private static void requirePlain(String name, String place) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,254}") || name.contains("..")) {
      throw badIndex(place, "'" + PlainText.of(name) + "' is not a plain file name");
    }
  }

  /** A file of a folder: a link may lead to the blobs of the same cached repository alone. */
  private static Path inside(String name, Path folder) {
    Path file = folder.resolve(name);
    if (!Files.isSymbolicLink(file)) {
      return file;
    }
    try {
      Path real = file.toRealPath();
      Path inside = folder.toRealPath();
      Path parent = inside.getParent();
      Path root = inside;
      if (parent != null && parent.endsWith("snapshots")) {
        root = Objects.requireNonNullElse(parent.getParent(), inside);
      }
      if (!real.startsWith(root)) {
        throw badIndex(ModelFiles.name(file), "it is a link that leaves the folder");
      }
      return file;
    } catch (IOException e) {
      throw ModelFiles.unreadable(file, e);
    }
  }

  private Adapter adapter(Path file) {
    JsonFields fields =
        Json.read(ModelFiles.read(file, limits.documentBytes()), ModelFiles.name(file), limits);
    return new Adapter(
        fields.firstWhole(1, MAX_RANK, "r").orElse(8), fields.texts("target_modules"));
  }

  private List<Path> listed(Path folder, String suffix) {
    try (Stream<Path> entries = Files.list(folder)) {
      List<String> names =
          entries
              .map(file -> String.valueOf(file.getFileName()))
              .filter(name -> name.endsWith(suffix))
              .limit(limits.files() + 1L)
              .sorted()
              .toList();
      if (names.size() > limits.files()) {
        throw InputException.tooLarge(
            "too-many-shards",
            ModelFiles.name(folder)
                + ": holds more than "
                + limits.files()
                + " files '*"
                + suffix
                + "'.");
      }
      return names.stream().map(name -> inside(name, folder)).toList();
    } catch (IOException e) {
      throw ModelFiles.unreadable(folder, e);
    }
  }

  private static InputException badIndex(String place, String problem) {
    return InputException.malformed("bad-model-index", place + ": " + problem + ".");
  }
}

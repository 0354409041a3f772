package dev.cotenant.engine.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.text.Suggestion;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.files.InputFiles;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.llm.source.ModelDescription;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Models by name, in memory.
 *
 * <p>Thread safe. A name that is registered again means the new graph from then on.
 */
public final class ModelRegistry {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?");
  private static final String SUFFIX = ".onnx";
  private static final String DESCRIPTION_SUFFIX = ".json";
  private static final String DIGEST_PREFIX = "sha256:";

  private final OnnxGraphReader reader;
  private final Map<String, Registered> byName = new ConcurrentHashMap<>();

  /** Language models by what containers call them. */
  private volatile Map<String, RegisteredLanguageModel> byReference = Map.of();

  /** An empty registry of what {@code reader} reads. */
  public ModelRegistry(OnnxGraphReader reader) {
    this.reader = reader;
  }

  /** An empty registry that reads within this engine's limits. */
  public static ModelRegistry of(Engine engine) {
    return new ModelRegistry(engine.reader());
  }

  /**
   * Registers every {@code NAME.onnx} of a directory, and every {@code NAME.json} that describes a
   * language model, under {@code NAME}, in the order of names.
   *
   * @return one line per unusable file; the other files are registered
   * @throws InputException ({@code missing-directory}) when there is no such directory
   */
  public List<String> loadDirectory(Path directory) {
    List<String> rejected = new ArrayList<>();
    for (Path file : InputFiles.list(directory, SUFFIX, "models")) {
      try {
        put(new RegisteredModel(nameOf(file), sha256(file), graph(file)));
      } catch (InputException e) {
        rejected.add(e.getMessage());
      }
    }
    for (Path file : InputFiles.list(directory, DESCRIPTION_SUFFIX, "models")) {
      try {
        put(read(nameOf(file), file));
      } catch (InputException e) {
        rejected.add(e.getMessage());
      }
    }
    return rejected;
  }

  private static String nameOf(Path file) {
    return requireName(file.getFileName().toString().replaceFirst("\\.(onnx|json)$", ""));
  }

  /**
   * Registers a language model of this machine.
   *
   * @param reference what containers call it
   * @param files a Hugging Face folder or a GGUF file
   * @throws InputException when they are not usable
   */
  public void register(String reference, Path files) {
    byte[] document = ModelDescription.of(files, List.of(reference));
    put(
        new RegisteredLanguageModel(
            requireName(reference.replace('/', '-')),
            Sha256.of(document),
            ModelDescription.read(document, reference)));
  }

  /**
   * The model of a file: a graph for an ONNX file, a language model for a JSON document. No ONNX
   * file begins with an opening brace. A file that is registered already is not read again: all its
   * names share one graph.
   *
   * @throws InputException when the name or the content is not usable
   */
  public Registered read(String name, Path file) {
    requireName(name);
    String sha256 = sha256(file);
    Optional<RegisteredModel> same = find(DIGEST_PREFIX + sha256);
    if (same.isPresent()) {
      return new RegisteredModel(name, sha256, same.get().source());
    }
    return isJson(file)
        ? new RegisteredLanguageModel(name, sha256, description(name, file))
        : new RegisteredModel(name, sha256, graph(file));
  }

  private GraphSource graph(Path file) {
    return GraphSource.of(parse(file));
  }

  /**
   * The graph of an ONNX file.
   *
   * @throws InputException when the content is not usable
   */
  public ModelGraph parse(Path file) {
    return reader.read(file);
  }

  /**
   * Whether a file with this first byte, which is -1 for an empty one, is the description of a
   * language model.
   */
  public static boolean isDescription(int first) {
    return first == '{';
  }

  private static ModelDescription description(String name, Path file) {
    int most = ModelDescription.LIMITS.documentBytes();
    try (InputStream in = Files.newInputStream(file)) {
      return ModelDescription.read(in.readNBytes(most + 1), name);
    } catch (IOException e) {
      throw InputFiles.unreadable(file, e);
    }
  }

  private static boolean isJson(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return isDescription(in.read());
    } catch (IOException e) {
      throw InputFiles.unreadable(file, e);
    }
  }

  /** Registers a model under its name. */
  public synchronized void put(Registered model) {
    byName.put(model.name(), model);
    refer();
  }

  /** Forgets a name. */
  public synchronized void remove(String name) {
    byName.remove(name);
    refer();
  }

  private void refer() {
    Map<String, RegisteredLanguageModel> references = new HashMap<>();
    for (Registered other : all()) {
      if (other instanceof RegisteredLanguageModel language) {
        language.description().references().forEach(one -> references.putIfAbsent(one, language));
      }
    }
    byReference = Map.copyOf(references);
  }

  /** The graph of this name, or of this {@code sha256:…} digest. */
  public Optional<RegisteredModel> find(String nameOrDigest) {
    return registered(nameOrDigest)
        .filter(RegisteredModel.class::isInstance)
        .map(RegisteredModel.class::cast);
  }

  /**
   * The language model of this name, of this {@code sha256:…} digest, or that containers call like
   * this; of several the first by name.
   */
  public Optional<RegisteredLanguageModel> findLanguageModel(String reference) {
    return registered(reference)
        .filter(RegisteredLanguageModel.class::isInstance)
        .map(RegisteredLanguageModel.class::cast)
        .or(() -> Optional.ofNullable(byReference.get(reference)));
  }

  /** The error for an unknown name, with suggestions, for callers who may see all names. */
  public InputException unknown(String name) {
    return InputException.notFound(
        "unknown-model",
        "No model is registered as '"
            + name
            + "'"
            + Suggestion.words(name, byName.keySet())
            + ": GET /v1/models lists them, PUT /v1/models/{name} registers one.");
  }

  /** What this name, or this {@code sha256:…} digest, means. */
  public Optional<Registered> registered(String nameOrDigest) {
    if (nameOrDigest.startsWith(DIGEST_PREFIX)) {
      String digest = nameOrDigest.substring(DIGEST_PREFIX.length());
      return all().stream().filter(model -> model.sha256().equals(digest)).findFirst();
    }
    return Optional.ofNullable(byName.get(nameOrDigest));
  }

  /** All graphs, ordered by name. */
  public List<RegisteredModel> models() {
    return all().stream()
        .filter(RegisteredModel.class::isInstance)
        .map(RegisteredModel.class::cast)
        .toList();
  }

  /** Everything in the order of names. */
  public List<Registered> all() {
    return byName.values().stream().sorted(Comparator.comparing(Registered::name)).toList();
  }

  private static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw InputException.invalidArgument(
          "bad-model-name",
          "Model name '"
              + name
              + "': use letters, digits, '.', '_' and '-', at most 128, a letter or digit at both"
              + " ends.");
    }
    return name;
  }

  private static String sha256(Path file) {
    MessageDigest digest = Sha256.digest();
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw InputFiles.unreadable(file, e);
    }
    return Sha256.of(digest);
  }
}

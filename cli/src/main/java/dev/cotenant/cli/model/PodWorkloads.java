package dev.cotenant.cli.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.ContainerJson;
import dev.cotenant.admission.pod.EngineRuns;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.engine.files.InputFiles;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.ContainerReader;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.pod.OtherArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.Workload;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.llm.source.UrlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The language models that a pod's containers run, with their files found by {@code --volume}.
 *
 * @param found at least one
 */
record PodWorkloads(List<Found> found) {
  private static final String ANNOTATION = "cotenant.dev/";
  private static final int MAX_FOLDERS = 10_000;

  /**
   * One container.
   *
   * @param run how it runs the model
   * @param values what was read, by name
   * @param container its name
   */
  record Found(LanguageModel model, EngineRun run, Map<String, Value> values, String container) {}

  private static Map<String, Value> withModel(
      @Nullable Value model, @Nullable Value version, Map<String, Value> flags) {
    Map<String, Value> values = new LinkedHashMap<>();
    if (model != null) {
      values.put("model", model);
    }
    if (version != null) {
      values.put("engine-version", version);
    }
    values.putAll(flags);
    return values;
  }

  /**
   * Reads a manifest.
   *
   * @param volumes where paths of containers lie here
   * @param urls reads what a container or an annotation names by its URL
   * @throws InputException ({@code no-language-model}, {@code model-unknown}), or as {@link
   *     PodManifest} and {@link ModelReader}
   */
  static PodWorkloads read(Path file, Map<String, Path> volumes, UrlReader urls) {
    JsonNode pod = PodManifest.read(file).pod();
    Reader reader = new Reader(file, pod, volumes, urls);
    List<Found> found = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    for (JsonNode container : pod.path("spec").path("containers")) {
      reader.container(container, found, reasons);
    }
    if (found.isEmpty()) {
      throw InputException.malformed(
          "no-language-model",
          file
              + ": no container runs a language model whose memory is known"
              + (reasons.isEmpty() ? "." : " (" + String.join("; ", reasons) + ")."));
    }
    return new PodWorkloads(found);
  }

  /** Reads the containers of one pod. */
  private record Reader(Path file, JsonNode pod, Map<String, Path> volumes, UrlReader urls) {
    void container(JsonNode node, List<Found> found, List<String> reasons) {
      String name = PlainText.of(node.path("name").asText("container"));
      switch (ContainerJson.workload(new ContainerReader(this::settings), node)) {
        case Workload.Vllm(var model, var version, var flags, var notes) -> {
          Value named = annotated("model", model);
          Value stated = annotated("engine-version", version);
          add(new Workload.Vllm(named, stated, flags, notes), named, stated, flags, name, found);
        }
        case Workload.Training(var launcher, var model, var gpus, var flags, var notes) -> {
          Value named = annotated("model", model);
          add(
              new Workload.Training(launcher, named, gpus, flags, notes),
              named,
              null,
              flags,
              name,
              found);
        }
        case Workload.Generation(var model, var version, var flags, var notes) -> {
          Value named = annotated("model", model);
          Value stated = annotated("engine-version", version);
          add(
              new Workload.Generation(named, stated, flags, notes),
              named,
              stated,
              flags,
              name,
              found);
        }
        case Workload.Other(var engine, var model, var flags, var notes) -> {
          Value named = annotated("model", model);
          if (named == null || !OtherArguments.ENGINES.contains(engine)) {
            reasons.add(
                name
                    + " runs "
                    + engine
                    + (model == null ? "" : " with " + model.text())
                    + ", whose memory is unknown until it is measured"
                    + notes.stream().map(note -> "; " + note).collect(Collectors.joining()));
          } else {
            add(new Workload.Other(engine, named, flags, notes), named, null, flags, name, found);
          }
        }
        case Workload.Unknown unknown -> reasons.add(name + ": " + unknown.reason());
      }
    }

    private void add(
        Workload workload,
        @Nullable Value model,
        @Nullable Value version,
        Map<String, Value> flags,
        String container,
        List<Found> found) {
      EngineRun run = Objects.requireNonNull(EngineRuns.of("", workload));
      Map<String, String> settings = new HashMap<>(run.settings());
      Map<String, Value> values = withModel(model, version, flags);
      for (String name : List.of(GenerationArguments.PROMPT, GenerationArguments.GENERATED)) {
        Value tokens = annotated(name, null);
        if (tokens != null) {
          settings.put(name, tokens.text());
          values.put(name, tokens);
        }
      }
      found.add(
          new Found(model(container, run.engine(), model), run.with(settings), values, container));
    }

    private @Nullable Value annotated(String key, @Nullable Value otherwise) {
      JsonNode value = pod.path("metadata").path("annotations").path(ANNOTATION + key);
      return value.isTextual()
          ? new Value(PlainText.of(value.asText()), "annotation " + ANNOTATION + key)
          : otherwise;
    }

    private LanguageModel model(String container, String engine, @Nullable Value reference) {
      if (reference == null) {
        throw InputException.malformed(
            "model-unknown",
            file
                + ": "
                + container
                + " runs "
                + engine
                + " without a model in its arguments; name it with the annotation "
                + ANNOTATION
                + "model.");
      }
      Path here = located(reference.text());
      if (here == null && AllowedUrls.isUrl(reference.text())) {
        return urls.read(reference.text());
      }
      if (here == null) {
        throw InputException.malformed(
            "model-unknown",
            file
                + ": "
                + container
                + " runs "
                + engine
                + " with "
                + reference.text()
                + "; say where it lies with --volume "
                + reference.text()
                + "=DIR.");
      }
      return ModelReader.standard().read(here);
    }

    /** The longest mounted path that it begins with. */
    private @Nullable Path located(String path) {
      String best = "";
      for (String mount : volumes.keySet()) {
        boolean inside = path.equals(mount) || path.startsWith(mount + "/");
        if (inside && mount.length() > best.length()) {
          best = mount;
        }
      }
      Path root = volumes.get(best);
      if (root == null) {
        return null;
      }
      String rest = path.substring(best.length()).replaceFirst("^/+", "");
      Path here = root.resolve(rest).normalize();
      return here.startsWith(root.normalize()) ? here : null;
    }

    /** Scalar settings of a mounted YAML or JSON file; those of nested objects as a.b. */
    private Map<String, String> settings(String path) {
      int star = path.indexOf("/*/");
      Path here =
          star < 0 ? located(path) : firstBelow(path.substring(0, star), path.substring(star + 3));
      return here == null || !Files.isRegularFile(here)
          ? Map.of()
          : ConfigurationFile.settings(here);
    }

    /** The first folder below a mounted one that holds such a file, by name. */
    private @Nullable Path firstBelow(String folder, String file) {
      Path here = located(folder);
      if (here == null) {
        return null;
      }
      try (Stream<Path> inside = Files.list(here)) {
        return inside
            .limit(MAX_FOLDERS)
            .sorted()
            .map(one -> one.resolve(file))
            .filter(Files::isRegularFile)
            .findFirst()
            .orElse(null);
      } catch (IOException e) {
        throw InputFiles.unreadable(here, e);
      }
    }
  }
}

package dev.cotenant.cli.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.ContainerJson;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Container;
import dev.cotenant.llm.pod.ContainerReader;
import dev.cotenant.llm.pod.TrainingArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.Workload;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The language models that a pod's containers run, with their files found by {@code --volume}.
 *
 * @param found at least one
 */
record PodWorkloads(List<Found> found) {
  private static final String ANNOTATION = "cotenant.dev/";

  /** One container. */
  sealed interface Found {
    /** Its name. */
    String container();

    /** What was read, by name. */
    Map<String, Value> values();
  }

  /** A server of vLLM. */
  record Server(
      LanguageModel model,
      Workload.Vllm server,
      Map<String, Value> flags,
      List<String> notes,
      String container)
      implements Found {
    @Override
    public Map<String, Value> values() {
      return withModel(server.model(), server.version(), flags);
    }
  }

  /** A job of fine-tuning. */
  record Tuning(
      LanguageModel model,
      TrainingArguments arguments,
      List<String> notes,
      Workload.Training job,
      String container)
      implements Found {
    @Override
    public Map<String, Value> values() {
      return withModel(job.model(), null, job.flags());
    }
  }

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
   * @throws InputException ({@code no-language-model}, {@code model-unknown}), or as {@link
   *     PodManifest} and {@link ModelReader}
   */
  static PodWorkloads read(Path file, Map<String, Path> volumes) {
    JsonNode pod = PodManifest.read(file).pod();
    Reader reader = new Reader(file, pod, volumes);
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
  private record Reader(Path file, JsonNode pod, Map<String, Path> volumes) {
    void container(JsonNode node, List<Found> found, List<String> reasons) {
      String name = PlainText.of(node.path("name").asText("container"));
      Container container = ContainerJson.read(node);
      switch (new ContainerReader(this::settings).read(container)) {
        case Workload.Vllm server -> {
          Workload.Vllm overridden =
              new Workload.Vllm(
                  annotated("model", server.model()),
                  annotated("engine-version", server.version()),
                  server.flags(),
                  server.notes());
          found.add(
              new Server(
                  model(name, "vllm", overridden.model()),
                  overridden,
                  server.flags(),
                  notes(server.notes(), overridden.version()),
                  name));
        }
        case Workload.Training job -> {
          Value model = annotated("model", job.model());
          found.add(
              new Tuning(
                  model(name, job.launcher(), model),
                  TrainingArguments.of(job),
                  job.notes(),
                  job,
                  name));
        }
        case Workload.Other other -> {
          Value model = other.model();
          reasons.add(
              name
                  + " runs "
                  + other.engine()
                  + (model == null ? "" : " with " + model.text())
                  + ", whose memory is unknown until it is measured");
        }
        case Workload.Unknown unknown -> reasons.add(name + ": " + unknown.reason());
      }
    }

    private static List<String> notes(List<String> notes, @Nullable Value version) {
      List<String> all = new ArrayList<>(notes);
      if (version == null) {
        all.add("its image names no version: taken as the newest that was measured");
      }
      return all;
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
      Path here = located(path);
      return here == null || !Files.isRegularFile(here)
          ? Map.of()
          : ConfigurationFile.settings(here);
    }
  }
}

package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.files.InputFiles;
import dev.cotenant.llm.source.ModelDescription;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Sends a predictor's file to a service, where it waits for its promotion, or registers an ONNX
 * graph or the description of a language model's folder.
 */
@Command(
    name = "upload",
    mixinStandardHelpOptions = true,
    description = {
      "Uploads a predictor to a running service, or registers a model.",
      "A predictor is the predictor.model of train, or a ZIP archive of a regressor's"
          + " manifest.yaml and model. It becomes active by promotion. An ONNX graph is"
          + " registered as it is, with or without weights. Of a Hugging Face folder, config.json"
          + " and the tensors in the headers of the weights are registered; weights are neither"
          + " read nor sent."
    })
public final class UploadCommand implements Callable<Integer> {
  private static final int MAX_BYTES = 16 << 20;
  private static final String GRAPH = ".onnx";

  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Parameters(
      paramLabel = "FILE",
      description =
          "A predictor of at most 16 MiB, an ONNX graph (*.onnx), or the folder or GGUF file of a"
              + " language model.")
  private Path file = Path.of("");

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "Name of a model; by default the name of its file or folder.")
  private @Nullable String name;

  @Option(
      names = "--reference",
      paramLabel = "MODEL",
      description =
          "Reference of containers to a language model, such as meta-llama/Llama-3.1-8B or"
              + " /models/llama; repeatable. A repository of the Hugging Face cache has its own.")
  private List<String> references = new ArrayList<>();

  @Option(names = "--replace", description = "Replaces the present model of this name.")
  private boolean replaces;

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public UploadCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (Files.isDirectory(file) || ModelReader.isGguf(file)) {
      return registerLanguageModel();
    }
    String fileName = String.valueOf(file.getFileName());
    if (fileName.endsWith(GRAPH)) {
      byte[] graph = InputFiles.read(file, "an ONNX graph", MAX_BYTES);
      String stem = fileName.substring(0, fileName.length() - GRAPH.length());
      return register(name == null ? stem : name, RemoteService.TypedFile.binary(graph), List.of());
    }
    byte[] bytes = InputFiles.read(file, "a predictor", MAX_BYTES);
    JsonNode version = remote.service().post("/v1/predictors", bytes, "version");
    if (json) {
      console.json(version);
    } else {
      String label = version.path("version").asText();
      console.line(
          label
              + " ("
              + version.path("kind").asText()
              + "): ./cotenant promote "
              + label
              + " activates it.");
    }
    return 0;
  }

  /** The tag of the model that a name means; null where it means none. */
  private @Nullable String present(String as) throws InterruptedException {
    for (JsonNode model : remote.service().get("/v1/models", "models").path("models")) {
      if (model.path("name").asText().equals(as)) {
        return "\"" + model.path("sha256").asText() + "\"";
      }
    }
    return null;
  }

  private int registerLanguageModel() throws InterruptedException {
    String folder = String.valueOf(file.toAbsolutePath().normalize().getFileName());
    List<String> called = new ArrayList<>(references);
    if (called.isEmpty() && folder.matches("models--[^/]+--[^/]+")) {
      called.add(folder.substring("models--".length()).replaceFirst("--", "/"));
    }
    String as =
        name == null
            ? folder.replaceFirst("^models--.+?--", "").replaceFirst("\\.gguf$", "")
            : name;
    return register(as, RemoteService.TypedFile.json(ModelDescription.of(file, called)), called);
  }

  private int register(String as, RemoteService.TypedFile model, List<String> called)
      throws InterruptedException {
    String path = "/v1/models/" + RemoteService.escaped(as);
    JsonNode registered =
        remote.service().put(path, model, replaces ? present(as) : null, "sha256");
    if (json) {
      console.json(registered);
    } else {
      console.line(
          registered.path("name").asText()
              + " (sha256:"
              + registered.path("sha256").asText()
              + ") is registered"
              + (called.isEmpty() ? "" : " for " + String.join(", ", called))
              + ".");
    }
    return 0;
  }
}

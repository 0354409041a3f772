package dev.cotenant.cli.model;

import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.UrlReader;
import java.util.List;
import picocli.CommandLine.Option;

/** Which URLs of language models are read; none by default. */
final class UrlOptions {
  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description =
          "A model's folder, config.json or GGUF file below an --allow-url, in place of FILE; only"
              + " the headers of its weights are read, 64 KiB or more. Repeatable.")
  private List<String> models = List.of();

  @Option(
      names = "--allow-url",
      paramLabel = "PREFIX",
      description =
          "Prefix of allowed URLs, such as https://huggingface.co/Qwen/, also for redirects."
              + " Repeatable; by default no URL is allowed.")
  private List<String> open = List.of();

  @Option(
      names = "--allow-private-url",
      paramLabel = "PREFIX",
      description = "As --allow-url, for hosts with a private address too.")
  private List<String> internal = List.of();

  List<String> models() {
    return models;
  }

  UrlReader reader() {
    return UrlReader.of(AllowedUrls.of(open, internal));
  }
}

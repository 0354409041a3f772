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
          "A model's folder, config.json or GGUF file below an --allow-url, in place of FILE; of"
              + " its weights 64 KiB or longer headers are read. Repeatable.")
  private List<String> models = List.of();

  @Option(
      names = "--allow-url",
      paramLabel = "PREFIX",
      description =
          "URLs that begin so may be read, such as https://huggingface.co/Qwen/; redirects, too,"
              + " stay below such a prefix. Repeatable; without it none is read.")
  private List<String> open = List.of();

  @Option(
      names = "--allow-private-url",
      paramLabel = "PREFIX",
      description = "The same for a host that may have a private address.")
  private List<String> internal = List.of();

  List<String> models() {
    return models;
  }

  UrlReader reader() {
    return UrlReader.of(AllowedUrls.of(open, internal));
  }
}

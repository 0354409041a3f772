package dev.cotenant.datasets.llm;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The models that rows name, each read once: {@code models/OWNER--NAME/config.json}. */
final class PublishedModels {
  private final List<Path> folders;
  private final Map<String, LanguageModel> known = new HashMap<>();

  PublishedModels(List<Path> folders) {
    this.folders = List.copyOf(folders);
  }

  /**
   * The model of a row.
   *
   * @throws UnusableRowException where no folder describes it
   */
  LanguageModel require(DataRow row) {
    String name = row.text("model");
    LanguageModel found = known.get(name);
    if (found != null) {
      return found;
    }
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")) {
      throw row.bad("model", "the name of a model");
    }
    for (Path folder : folders) {
      Path config =
          folder.resolve("models").resolve(name.replace("/", "--")).resolve("config.json");
      if (Files.exists(config)) {
        try {
          LanguageModel model = ModelReader.standard().read(config);
          known.put(name, model);
          return model;
        } catch (InputException e) {
          throw new UnusableRowException(e.getMessage());
        }
      }
    }
    throw new UnusableRowException("model '" + name + "' has no config.json below models/");
  }
}

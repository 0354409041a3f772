package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.model.Registered;
import dev.cotenant.engine.model.RegisteredLanguageModel;
import dev.cotenant.engine.model.RegisteredModel;
import dev.cotenant.service.rest.query.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registered model.
 *
 * @param sha256 digest of its ONNX file or description
 * @param kind {@code graph} or {@code language-model}
 * @param references by which containers call a language model; empty for graphs
 */
public record ModelView(
    @JsonProperty("name") String name,
    @JsonProperty("sha256") String sha256,
    @JsonProperty("kind") String kind,
    @JsonProperty("references") List<String> references) {
  public ModelView {
    references = List.copyOf(references);
  }

  static ModelView of(Registered model) {
    return switch (model) {
      case RegisteredModel graph -> new ModelView(graph.name(), graph.sha256(), "graph", List.of());
      case RegisteredLanguageModel(String name, String sha256, var description) ->
          new ModelView(name, sha256, "language-model", description.references());
    };
  }

  /** A name that means nothing from now on. */
  public record DeletedModelView(@JsonProperty("name") String name) {}

  /**
   * By name.
   *
   * @param next token of the next page; absent on the last
   */
  public record ModelsView(
      @JsonProperty("models") List<ModelView> models,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
    public ModelsView {
      models = List.copyOf(models);
    }

    static ModelsView of(Page<Registered> page) {
      return new ModelsView(page.map(ModelView::of).entries(), page.next());
    }
  }
}

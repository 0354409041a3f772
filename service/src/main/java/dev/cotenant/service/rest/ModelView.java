package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.model.RegisteredModel;
import java.util.List;

/** A registered model. */
public record ModelView(@JsonProperty("name") String name, @JsonProperty("sha256") String sha256) {
  static ModelView of(RegisteredModel model) {
    return new ModelView(model.name(), model.sha256());
  }

  /** All of them, by name. */
  public record ModelsView(@JsonProperty("models") List<ModelView> models) {
    public ModelsView {
      models = List.copyOf(models);
    }
  }
}

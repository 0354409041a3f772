package dev.cotenant.service.rest;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.service.lifecycle.SharedModels;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The models that pods can name. */
@Tag(name = "Predictions", description = "Utilization, memory and step time of models on devices")
@Path("/v1/models")
@Produces(MediaType.APPLICATION_JSON)
public class ModelResource {
  private final ModelRegistry registry;
  private final SharedModels shared;
  private final Uploads uploads;

  ModelResource(ModelRegistry registry, SharedModels shared, Uploads uploads) {
    this.registry = registry;
    this.shared = shared;
    this.uploads = uploads;
  }

  /** All, by name. */
  @GET
  @Operation(summary = "List registered models")
  public ModelView.ModelsView list() {
    return new ModelView.ModelsView(registry.all().stream().map(ModelView::of).toList());
  }

  /** Registers or replaces one. */
  @PUT
  @Path("/{name}")
  @Consumes({MediaType.APPLICATION_OCTET_STREAM, MediaType.APPLICATION_JSON})
  @Operation(
      summary = "Register an ONNX file or a language model under a name",
      description =
          "The name means this file from then on; weights may be missing. A language model is a"
              + " JSON document: its config.json, what the headers of its weights list, and the"
              + " names and paths by which containers call it, as ./cotenant upload FOLDER sends"
              + " it.")
  @RequestBody(
      required = true,
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_OCTET_STREAM,
            schema = @Schema(type = SchemaType.STRING, format = "binary"),
            examples = @ExampleObject(name = "upload", externalValue = Examples.MODEL_FILE)),
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(type = SchemaType.OBJECT),
            examples = @ExampleObject(name = "language-model", ref = "language-model"))
      })
  public ModelView put(
      @Parameter(example = "my-model") @PathParam("name") String name, InputStream body) {
    try (Uploads.Upload upload = uploads.receive(body)) {
      return ModelView.of(upload.read(file -> shared.register(name, file)));
    }
  }

  public static InputException unknown(String model) {
    return InputException.notFound(
        "unknown-model",
        "No model is registered as '"
            + model
            + "': GET /v1/models lists them, PUT"
            + " /v1/models/{name} registers one.");
  }
}

package dev.cotenant.service.rest;

import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.Registered;
import dev.cotenant.service.lifecycle.SharedModels;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

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
  @Operation(summary = "List registered models by name")
  public ModelView.ModelsView list(
      @Parameter(description = "graph or language-model; absent: all") @QueryParam("kind")
          @Nullable String kind,
      @BeanParam PageParameters page) {
    List<Registered> wanted =
        registry.all().stream()
            .filter(model -> PageParameters.passes(kind, ModelView.of(model).kind()))
            .toList();
    return ModelView.ModelsView.of(page.of(wanted, Registered::name));
  }

  /** One. */
  @GET
  @Path("/{name}")
  @Operation(
      summary = "Show a registered model",
      description = "The ETag is its SHA-256; send it as If-Match to replace the model.")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ModelView.class)))
  public Response get(@Parameter(example = "resnet18") @PathParam("name") String name) {
    return shown(registry.registered(name).orElseThrow(() -> registry.unknown(name)));
  }

  /** Registers or replaces one. */
  @PUT
  @Path("/{name}")
  @Consumes({MediaType.APPLICATION_OCTET_STREAM, MediaType.APPLICATION_JSON})
  @Operation(
      summary = "Register an ONNX file or a language model under a name",
      description =
          "Registers the file under the name; weights may be missing. To replace a different model"
              + " of this name, send If-Match with its ETag: 428 without, 412 if the ETag does"
              + " not match. A language model is a JSON document with its config.json, the"
              + " tensors of its weight headers, and the names and paths by which containers"
              + " refer to it, as ./cotenant upload FOLDER sends it.")
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
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ModelView.class)))
  public Response put(
      @Parameter(example = "my-model") @PathParam("name") String name,
      @Parameter(description = "ETag of the model that is replaced, or * for any", example = "*")
          @HeaderParam(HttpHeaders.IF_MATCH)
          @Nullable String ifMatch,
      InputStream body) {
    SharedModels.Replaced replaced = ModelTags.replaced(ifMatch);
    try (Uploads.Upload upload = uploads.receive(body)) {
      return switch (upload.read(file -> shared.register(name, file, replaced))) {
        case SharedModels.Registration.Done(var model) -> shown(model);
        case SharedModels.Registration.Refused(var sha256) ->
            Problems.response(ModelTags.refusal(name, sha256, replaced)).build();
      };
    }
  }

  /** Forgets one. */
  @DELETE
  @Path("/{name}")
  @Operation(
      summary = "Delete a registered model",
      description =
          "Pods that name it have an unknown model from then on; grants stay. A model of the"
              + " installation's folder reappears if the deleted model replaced it, and cannot be"
              + " deleted itself (409 shipped-model).")
  public ModelView.DeletedModelView delete(
      @Parameter(example = "my-model") @PathParam("name") String name) {
    shared.remove(name);
    return new ModelView.DeletedModelView(name);
  }

  private static Response shown(Registered model) {
    return Response.ok(ModelView.of(model)).tag(model.sha256()).build();
  }
}

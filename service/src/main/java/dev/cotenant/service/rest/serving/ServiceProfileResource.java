package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.serving.ServiceProfileStore;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.query.Page;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Measured profiles of services and devices. */
@Tag(name = "Plans", description = "GPU, share and batch of each workload of a fleet")
@Path("/v1/service-profiles")
@Produces(MediaType.APPLICATION_JSON)
public class ServiceProfileResource {
  private static final int MAX_BYTES = 1 << 20;

  private final ServiceProfileStore store;
  private final ServiceProfiles profiles;
  private final Engine engine;

  ServiceProfileResource(ServiceProfileStore store, ServiceProfiles profiles, Engine engine) {
    this.store = store;
    this.profiles = profiles;
    this.engine = engine;
  }

  /** Stores profiles. */
  @POST
  @Consumes(MediaType.APPLICATION_OCTET_STREAM)
  @Operation(
      summary = "Store profiles of services",
      description =
          "Lines of a profile file, as ./cotenant profiles fit writes it; each replaces the"
              + " profile of the same name and device. Decisions use the profile with the name of"
              + " a service's model, from its namespace or, if stored without a namespace, in all"
              + " namespaces; plans refer to it by name.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = SchemaType.STRING),
              examples =
                  @ExampleObject(name = "profiles", externalValue = Examples.SERVICE_PROFILES)))
  public ServiceProfilesView add(@Context SecurityContext context, InputStream body) {
    Call call = Call.of(context);
    String namespace = namespace(call);
    profiles.refresh();
    List<Stored> stored =
        new ProfileUpload(engine.devices(), profiles.book(namespace))
            .read(
                JsonBody.bytes(body, MAX_BYTES),
                new ProfileUpload.Origin(
                    namespace, call.caller().recorded(), InstantSource.system().instant()));
    switch (store.put(stored)) {
      case STORED -> profiles.refresh();
      case NAMESPACE_FULL ->
          throw InputException.tooLarge(
              "too-many-profiles",
              "A namespace has at most "
                  + ServiceProfileStore.MAX_PROFILES
                  + " profiles: delete some first.");
      case STORE_FULL ->
          throw InputException.tooLarge(
              "too-many-profiles",
              "All stored profiles together have at most "
                  + ServiceProfileStore.MAX_CHARACTERS
                  + " characters: delete some in any namespace first.");
    }
    return ServiceProfilesView.of(new Page<>(stored, null));
  }

  /** The profiles that count in a namespace, or all. */
  @GET
  @Operation(summary = "List stored profiles; for a namespace also those of the whole cluster")
  public ServiceProfilesView list(
      @Context SecurityContext context,
      @Parameter(description = "Name of the profiles; absent: all") @QueryParam("name")
          @Nullable String name,
      @Parameter(description = "Id of their device; absent: all") @QueryParam("device")
          @Nullable String device,
      @BeanParam PageParameters page) {
    String namespace = namespace(Call.of(context));
    List<Stored> shown =
        store.all().stream()
            .filter(stored ->
                namespace.equals(ServiceProfiles.EVERY_NAMESPACE)
                    || stored.namespace().equals(namespace)
                    || stored.namespace().equals(ServiceProfiles.EVERY_NAMESPACE))
            .filter(stored -> PageParameters.passes(name, stored.name()))
            .filter(stored -> PageParameters.passes(device, stored.device()))
            .toList();
    return ServiceProfilesView.of(
        page.of(
            shown,
            stored ->
                String.join(
                    "\n", stored.namespace(), stored.kind(), stored.name(), stored.device())));
  }

  /** Deletes the profiles of a name. */
  @DELETE
  @Path("/{name}")
  @Operation(
      summary = "Delete the profiles of a name in a namespace, or those of the whole cluster",
      description = "Decisions use predictions where there is no profile.")
  public ServiceProfilesView.DeletedView delete(
      @Context SecurityContext context,
      @Parameter(example = "resnet50-serving") @PathParam("name") String name,
      @Parameter(description = "Id of a device; absent: on all") @QueryParam("device")
          @Nullable String device) {
    int deleted = store.delete(namespace(Call.of(context)), name, device);
    if (deleted == 0) {
      throw InputException.notFound(
          "unknown-profile",
          "No profile of this name is stored here: GET /v1/service-profiles lists them.");
    }
    profiles.refresh();
    return new ServiceProfilesView.DeletedView(deleted);
  }

  private static String namespace(Call call) {
    return Objects.requireNonNullElse(
        call.visibility().namespace(), ServiceProfiles.EVERY_NAMESPACE);
  }
}

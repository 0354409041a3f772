package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.service.gate.MemoryShortages;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.query.Page;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The out-of-memory failures of pods, which raise what their successors are granted. */
@Tag(name = "Decisions", description = "Whether a workload may share a GPU, on which, and why not")
@Path("/v1/memory-shortages")
@Produces(MediaType.APPLICATION_JSON)
public class ShortageResource {
  private final MemoryShortages shortages;

  ShortageResource(MemoryShortages shortages) {
    this.shortages = shortages;
  }

  /**
   * A configuration whose pods ran out of memory.
   *
   * @param atLeastBytes what its pods are granted at least
   * @param times failed pods
   * @param lastAt time of the last one, after which it counts for 30 days
   */
  record ShortageView(
      @JsonProperty("namespace") String namespace,
      @JsonProperty("model") String model,
      @JsonProperty("batch_size") int batchSize,
      @JsonProperty("device") String device,
      @JsonProperty("at_least_bytes") long atLeastBytes,
      @JsonProperty("times") int times,
      @JsonProperty("last_at") String lastAt) {
    /** What no other has. */
    String key() {
      return String.join("/", namespace, model, String.valueOf(batchSize), device, lastAt);
    }

    static ShortageView of(MemoryShortage one) {
      return new ShortageView(
          one.namespace(),
          one.workload().model(),
          one.workload().batchSize(),
          one.device().value(),
          one.atLeast().bytes(),
          one.times(),
          one.lastAt().toString());
    }
  }

  /** The newest first. */
  record ShortagesView(
      @JsonProperty("memory_shortages") List<ShortageView> shortages,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
    ShortagesView {
      shortages = List.copyOf(shortages);
    }
  }

  /** How many do not count any more. */
  record DeletedShortagesView(@JsonProperty("deleted") int deleted) {}

  /** Those that count: 50 of a namespace at most. */
  @GET
  @Operation(summary = "List configurations whose pods ran out of memory, the newest first")
  public ShortagesView list(
      @Context SecurityContext context, @BeanParam PageParameters parameters) {
    Page<ShortageView> page =
        parameters.of(
            shortages.list(Call.of(context).visibility().namespace()).stream()
                .map(ShortageView::of)
                .toList(),
            ShortageView::key);
    return new ShortagesView(page.entries(), page.next());
  }

  /** Forgets those of a namespace. */
  @DELETE
  @Operation(
      summary = "Forget the out-of-memory failures of a namespace",
      description =
          "The next decisions use predictions without these failures; grants stay. The leader"
              + " answers after the deletion is persisted for later leaders.")
  @Parameter(
      name = "namespace",
      in = ParameterIn.QUERY,
      required = true,
      description = "Namespace of the pods",
      example = "team-a",
      schema = @Schema(type = SchemaType.STRING))
  public DeletedShortagesView delete(
      @Context SecurityContext context,
      @Parameter(description = "Model of the pods; absent: all", example = "resnet50")
          @QueryParam("model")
          @Nullable String model) {
    String namespace = Required.of(Call.of(context).visibility().namespace(), "namespace");
    return new DeletedShortagesView(shortages.forget(namespace, model));
  }
}

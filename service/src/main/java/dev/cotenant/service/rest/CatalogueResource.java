package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.view.DeviceView;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Devices of predictions. */
@Tag(name = "Predictions", description = "Utilization, memory and step time of models on devices")
@Path("/v1")
@Produces(MediaType.APPLICATION_JSON)
public class CatalogueResource {
  private final Engine engine;

  CatalogueResource(Engine engine) {
    this.engine = engine;
  }

  /** The device catalogue. */
  public record DevicesView(@JsonProperty("devices") List<DeviceView> devices) {
    public DevicesView {
      devices = List.copyOf(devices);
    }
  }

  /** The devices of predictions. */
  @GET
  @Path("/devices")
  @Operation(summary = "List the devices of predictions")
  public DevicesView devices() {
    return new DevicesView(engine.devices().devices().stream().map(DeviceView::of).toList());
  }
}

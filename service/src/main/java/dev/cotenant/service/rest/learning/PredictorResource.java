package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.Forecasts;
import dev.cotenant.engine.lifecycle.KnownVersions;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.forecast.trees.PeakModelFile;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.learning.PredictorViews.ForecastsView;
import dev.cotenant.service.rest.learning.PredictorViews.PredictorsView;
import dev.cotenant.service.rest.learning.PredictorViews.PromotionView;
import dev.cotenant.service.rest.learning.PredictorViews.VersionView;
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
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Lists, reads and promotes versions of the predictor. */
@Tag(name = "Learning", description = "Measured runs, trainings, and versions of predictors")
@Path("/v1/predictors")
@Produces(MediaType.APPLICATION_JSON)
public class PredictorResource {
  private static final int MAX_BYTES = 16 << 20;

  private final ModelStore store;
  private final Serving serving;
  private final Promotions promotions;
  private final KnownVersions known;
  private final Forecasts forecasts;
  private final DriftStore drift;

  PredictorResource(
      ModelStore store,
      Serving serving,
      Promotions promotions,
      KnownVersions known,
      Forecasts forecasts,
      DriftStore drift) {
    this.drift = drift;
    this.forecasts = forecasts;
    this.known = known;
    this.store = store;
    this.serving = serving;
    this.promotions = promotions;
  }

  /** All. */
  @GET
  @Operation(
      summary = "List the versions of the predictor and their promotions",
      description =
          "The active version is known without the database. While the database is down (store:"
              + " unreachable), versions and promotions are as of read_at.")
  public PredictorsView all(
      @Parameter(description = "base, correction or regressor; absent: all") @QueryParam("kind")
          @Nullable String kind,
      @BeanParam PageParameters page) {
    KnownVersions.Listing listing = known.listing();
    List<ModelVersion> wanted =
        listing.versions().stream()
            .filter(
                version -> PageParameters.passes(kind, PredictorViews.lowerCase(version.kind())))
            .toList();
    return PredictorsView.of(
        serving.served(),
        listing,
        page.of(wanted, ModelVersion::sha256),
        ForecastsView.of(forecasts.served(), forecasts.listing()),
        drift());
  }

  private @Nullable List<PredictorViews.DriftView> drift() {
    try {
      return PredictorViews.DriftView.all(drift.newest());
    } catch (StoreException _) {
      return null;
    }
  }

  /** Takes one in. */
  @POST
  @Consumes(MediaType.APPLICATION_OCTET_STREAM)
  @Operation(
      summary = "Upload a predictor's file",
      description =
          "A model written by ./cotenant train, of predictions or of the forecast of used memory,"
              + " or a correction of a stored model. It becomes active by promotion. A file that"
              + " is stored already is returned unchanged.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = SchemaType.STRING, format = "binary"),
              examples = @ExampleObject(name = "upload", externalValue = Examples.PREDICTOR_FILE)))
  public VersionView upload(InputStream body) {
    byte[] file = JsonBody.bytes(body, MAX_BYTES);
    if (PeakModelFile.isOne(file)) {
      ModelVersion version = forecasts.add(file, "the upload");
      return VersionView.of(version, forecasts.isPromoted(version));
    }
    ModelVersion version =
        serving
            .files()
            .describe(
                file, "the upload", ModelVersion.Origin.UPLOADED, InstantSource.system().instant());
    store.versions().add(version, file);
    String promoted = store.versions().promoted().map(Promotion::version).orElse("");
    ModelVersion stored = serving.files().require(Sha256.of(file));
    return VersionView.of(stored, stored.sha256().equals(promoted));
  }

  /** Forgets one. */
  @DELETE
  @Path("/{version}")
  @Operation(
      summary = "Delete a version",
      description =
          "Deletes a version that was never promoted and that no other version corrects, else 409"
              + " (version-in-use): a rollback needs promoted versions.")
  public VersionView delete(
      @Parameter(description = "The version's name or SHA-256", example = Examples.PREDICTOR)
          @PathParam("version")
          String version) {
    ModelVersion known = serving.files().require(version);
    if (known.sha256().equals(serving.served().sha256())
        || !store.versions().remove(known.sha256())) {
      throw new ConflictException(
          "version-in-use",
          known.label()
              + " serves, was promoted, or is what another version corrects: only other versions"
              + " can be deleted.");
    }
    return VersionView.of(known, false);
  }

  /** Promotes one. */
  @POST
  @Path("/{version}/promotion")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Promote a version",
      description =
          "Promotes a version that is better than the active one: a predictor on the held-out"
              + " rows, a forecast on the used memory of this cluster's GPUs since its upload. Else"
              + " 409, unless override_reason is given, which is recorded. Other replicas follow"
              + " within their refresh interval.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = PromotionDocument.class),
              examples = @ExampleObject(name = "override", ref = "promotion-request")))
  public PromotionView promote(
      @Parameter(description = "The version's name or SHA-256", example = Examples.PREDICTOR)
          @PathParam("version")
          String version,
      @Context SecurityContext context,
      InputStream body) {
    PromotionDocument document = JsonBody.read(body, PromotionDocument.class);
    String by = Call.of(context).caller().recorded();
    return PromotionView.of(
        forecasts.find(version).isPresent()
            ? forecasts.promote(version, by, document.overrideReason())
            : promotions.promote(version, by, Optional.ofNullable(document.overrideReason())));
  }

  /** Goes back. */
  @POST
  @Path("/rollback")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Roll back to the previous version",
      description = "Of the predictor, or with \"of\": \"forecast\" of the forecast.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = PromotionDocument.class),
              examples = @ExampleObject(name = "back", ref = "rollback-request")))
  public PromotionView rollback(@Context SecurityContext context, InputStream body) {
    PromotionDocument document = JsonBody.read(body, PromotionDocument.class);
    String by = Call.of(context).caller().recorded();
    String reason = Required.of(document.reason(), "reason");
    return PromotionView.of(
        document.concernsForecast()
            ? forecasts.rollback(by, reason)
            : promotions.rollback(by, reason));
  }
}

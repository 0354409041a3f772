package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.view.MemoryPredictionView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.service.decisions.PredictionCounter;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.Uploads;
import dev.cotenant.service.rest.query.QueryNumbers;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Predictions of models on devices. */
@Tag(name = "Predictions", description = "Utilization, memory and step time of models on devices")
@Path("/v1/predictions")
@Produces(MediaType.APPLICATION_JSON)
public class PredictionResource {
  private final Engine engine;
  private final LanguageModelPredictions languageModels;
  private final RegisteredPredictions predictions;
  private final PredictionCounter counter;
  private final Uploads uploads;

  PredictionResource(
      Engine engine,
      WorkloadPredictor predictor,
      ModelRegistry registry,
      LanguageModelRuns runs,
      PredictionCounter counter,
      Uploads uploads) {
    this.engine = engine;
    this.languageModels = new LanguageModelPredictions(engine, registry, runs);
    this.predictions = new RegisteredPredictions(engine, predictor, registry, languageModels);
    this.counter = counter;
    this.uploads = uploads;
  }

  /** For a registered model. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Predict utilization and peak memory of a model",
      description =
          "Either of a registered model (JSON), or of an uploaded ONNX file"
              + " (application/octet-stream) with the query parameters; weights may be missing."
              + " The device 'all' stands for the whole catalogue, and an array of up to 1,000"
              + " requests gets an answer to each: a prediction or an error. A language model is"
              + " named or described, with the engine that runs it and its arguments, and the"
              + " answer has the parts of its memory.")
  @RequestBody(
      required = true,
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = PredictionDocument.class),
            examples = {
              @ExampleObject(name = "registered", ref = "prediction-request"),
              @ExampleObject(name = "language-model", ref = "language-model-prediction-request")
            }),
        @Content(
            mediaType = MediaType.APPLICATION_OCTET_STREAM,
            schema =
                @Schema(
                    type = org.eclipse.microprofile.openapi.annotations.enums.SchemaType.STRING,
                    format = "binary"),
            examples = @ExampleObject(name = "upload", externalValue = Examples.MODEL_FILE))
      })
  @APIResponse(
      responseCode = "200",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema =
                  @Schema(
                      oneOf = {
                        PredictionView.class,
                        PredictionsView.class,
                        MemoryPredictionView.class
                      })))
  public Response registered(InputStream body) {
    JsonNode document = JsonBody.read(body, JsonNode.class);
    if (document.isArray()) {
      return Response.ok(predictions.many(document)).build();
    }
    boolean onAll = RegisteredPredictions.ALL_DEVICES.equals(document.path("device").textValue());
    if (languageModels.isAbout(document)) {
      if (onAll) {
        return Response.ok(predictions.languageModelOnAllDevices(document)).build();
      }
      MemoryPredictionView memory = languageModels.answer(document);
      counter.predicted();
      return Response.ok(memory).build();
    }
    PredictionDocument request = JsonBody.convert(document, PredictionDocument.class);
    Object answer = onAll ? predictions.onAllDevices(request) : predictions.one(request);
    return Response.ok(answer).build();
  }

  /** For an uploaded ONNX file. */
  @POST
  @Consumes(MediaType.APPLICATION_OCTET_STREAM)
  public PredictionView uploaded(
      @Parameter(description = "Device id; of uploads only", example = "a100-40gb")
          @QueryParam("device")
          @Nullable String device,
      @Parameter(description = "Samples per step; of uploads only") @QueryParam("batch")
          @Nullable String batch,
      @BeanParam RunParameters run,
      @Parameter(
              description =
                  "Share of cases in which each bound is to hold, 0.5 to 0.999; of uploads only")
          @QueryParam("coverage")
          @Nullable String coverage,
      @Parameter(description = "NAME=N for a symbolic dimension, repeatable; of uploads only")
          @QueryParam("dim")
          List<String> dimensions,
      InputStream body) {
    Device on = engine.devices().require(Required.of(device, "device"));
    RunSettings settings = run.settings();
    on.requirePrecision(settings.precision());
    Coverage level = QueryNumbers.coverage(coverage);
    var batchSize = QueryNumbers.positive("batch", batch);
    var bound = QueryNumbers.dimensions(dimensions);
    try (Uploads.Upload upload = uploads.receive(body)) {
      GraphFeatures features = upload.read(file -> engine.inspect(file, batchSize, bound));
      Prediction prediction =
          engine
              .predict(features, PredictionRequest.of(features.model(), settings, on).at(level))
              .requirePossible()
              .warnedOf(on.memory());
      counter.predicted();
      return PredictionView.ofModel("sha256:" + upload.sha256(), prediction);
    }
  }
}

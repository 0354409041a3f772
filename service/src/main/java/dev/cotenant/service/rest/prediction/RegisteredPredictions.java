package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Predictions;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.view.PredictionAnswerView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Predictions of registered models: of one, on all devices, or many in one call. */
final class RegisteredPredictions {
  /** The device that stands for the whole catalogue. */
  static final String ALL_DEVICES = "all";

  /** Most requests of one call. */
  static final int MAX_REQUESTS = 1_000;

  private final Engine engine;
  private final WorkloadPredictor predictor;
  private final ModelRegistry registry;
  private final LanguageModelPredictions languageModels;

  RegisteredPredictions(
      Engine engine,
      WorkloadPredictor predictor,
      ModelRegistry registry,
      LanguageModelPredictions languageModels) {
    this.engine = engine;
    this.predictor = predictor;
    this.registry = registry;
    this.languageModels = languageModels;
  }

  /**
   * A prediction on one device.
   *
   * @throws InputException for an unknown model or device, and for impossible settings
   */
  PredictionView one(PredictionDocument request) {
    Workload workload = request.workload();
    Device device = engine.devices().require(Required.of(request.device(), "device"));
    return PredictionView.ofModel(workload.model(), predict(request, workload, device));
  }

  private Prediction predict(PredictionDocument request, Workload workload, Device device) {
    device.requirePrecision(workload.settings().precision());
    return switch (predictor.predict(workload, Set.of(device.id()), request.level())) {
      case Outcome.Predicted(var byDevice) ->
          Objects.requireNonNull(byDevice.get(device.id()))
              .requirePossible()
              .warnedOf(device.memory());
      case Outcome.UnknownModel(String model, @Nullable String why, _) ->
          throw why == null
              ? registry.unknown(model)
              : InputException.notFound("unknown-model", why + ".");
    };
  }

  /**
   * Predictions on the whole catalogue, the shortest step first, then the devices that cannot run
   * the model like this.
   *
   * @throws InputException where the question is wrong on every device
   */
  PredictionsView onAllDevices(PredictionDocument request) {
    Workload workload = request.workload();
    List<Prediction> predictions = new ArrayList<>();
    List<PredictionAnswerView> failed = new ArrayList<>();
    for (Device device : engine.devices().devices()) {
      try {
        predictions.add(predict(request, workload, device));
      } catch (InputException e) {
        if (e.kind() == InputException.Kind.NOT_FOUND) {
          throw e;
        }
        failed.add(PredictionAnswerView.failed(workload.model(), device.id().value(), e));
      }
    }
    List<PredictionAnswerView> answers = new ArrayList<>();
    predictions.stream()
        .sorted(Predictions.BY_STEP_TIME)
        .map(prediction -> PredictionView.ofModel(workload.model(), prediction))
        .map(PredictionAnswerView::of)
        .forEach(answers::add);
    answers.addAll(failed);
    return new PredictionsView(answers);
  }

  /**
   * Predictions of a language model on the whole catalogue, in its order, then the devices that
   * cannot run it like this.
   *
   * @throws InputException where the question is wrong on every device
   */
  PredictionsView languageModelOnAllDevices(JsonNode request) {
    List<PredictionAnswerView> answers = new ArrayList<>();
    List<PredictionAnswerView> failed = new ArrayList<>();
    for (Device device : engine.devices().devices()) {
      String id = device.id().value();
      try {
        answers.add(PredictionAnswerView.of(languageModels.answer(request, id)));
      } catch (InputException e) {
        if (e.kind() == InputException.Kind.NOT_FOUND) {
          throw e;
        }
        failed.add(PredictionAnswerView.failed(request.path("model").textValue(), id, e));
      }
    }
    answers.addAll(failed);
    return new PredictionsView(answers);
  }

  /**
   * An answer to each question, in their order.
   *
   * @throws InputException ({@code too-many-predictions}) above {@link #MAX_REQUESTS}
   */
  PredictionsView many(JsonNode requests) {
    if (requests.size() > MAX_REQUESTS) {
      throw InputException.invalidArgument(
          "too-many-predictions",
          "One call takes at most "
              + MAX_REQUESTS
              + " requests, has "
              + requests.size()
              + ": send them in several calls.");
    }
    List<PredictionAnswerView> answers = new ArrayList<>();
    requests.forEach(request -> answers.add(answer(request)));
    return new PredictionsView(answers);
  }

  private PredictionAnswerView answer(JsonNode request) {
    try {
      if (languageModels.isAbout(request)) {
        return PredictionAnswerView.of(languageModels.answer(request));
      }
      return PredictionAnswerView.of(one(JsonBody.convert(request, PredictionDocument.class)));
    } catch (InputException e) {
      return PredictionAnswerView.failed(
          request.path("model").textValue(), request.path("device").textValue(), e);
    }
  }
}

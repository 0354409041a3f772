package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.view.PredictionAnswerView;
import java.util.List;

/** The answers to several questions: in their order, or of one model by its step time. */
record PredictionsView(@JsonProperty("predictions") List<PredictionAnswerView> predictions) {}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.lifecycle.Training;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A training as REST shows it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record TrainingView(
    @JsonProperty("id") String id,
    @JsonProperty("state") String state,
    @JsonProperty("step") String step,
    @JsonProperty("done") int done,
    @JsonProperty("total") int total,
    @JsonProperty("queued_at") String queuedAt,
    @JsonProperty("updated_at") String updatedAt,
    @JsonProperty("replica") @Nullable String replica,
    @JsonProperty("version") @Nullable String version,
    @JsonProperty("message") String message) {
  static TrainingView of(Training training) {
    return new TrainingView(
        training.id(),
        training.state().name().toLowerCase(Locale.ROOT),
        training.progress().step(),
        training.progress().done(),
        training.progress().total(),
        training.queuedAt().toString(),
        training.updatedAt().toString(),
        training.replica(),
        training.version(),
        training.message());
  }

  /** Newest first. */
  record TrainingsView(@JsonProperty("trainings") List<TrainingView> trainings) {
    static TrainingsView of(List<Training> trainings) {
      return new TrainingsView(trainings.stream().map(TrainingView::of).toList());
    }
  }
}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.service.rest.query.Page;
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
        state(training),
        training.progress().step(),
        training.progress().done(),
        training.progress().total(),
        training.queuedAt().toString(),
        training.updatedAt().toString(),
        training.replica(),
        training.version(),
        training.message());
  }

  static String state(Training training) {
    return training.state().name().toLowerCase(Locale.ROOT);
  }

  /**
   * Newest first.
   *
   * @param next token of the next page; absent on the last
   */
  record TrainingsView(
      @JsonProperty("trainings") List<TrainingView> trainings,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
    static TrainingsView of(Page<Training> page) {
      return new TrainingsView(page.map(TrainingView::of).entries(), page.next());
    }
  }
}

package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.profile.NearestRuns.Neighbour;
import dev.cotenant.predictor.model.MemoryParts;
import dev.cotenant.service.decisions.PredictionGrounds.Grounds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a prediction of a graph rests on.
 *
 * @param memoryParts what the shipped formula of peak memory is the sum of; what measured runs say
 *     beside it is the difference to the prediction
 * @param neighbours measured runs of this cluster on the same product that are the most like it;
 *     absent while the database is down
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record GroundsView(
    @JsonProperty("memory_parts") @Nullable MemoryPartsView memoryParts,
    @JsonProperty("neighbours") @Nullable List<NeighbourView> neighbours) {
  GroundsView {
    neighbours = neighbours == null ? null : List.copyOf(neighbours);
  }

  static GroundsView of(Grounds grounds) {
    List<Neighbour> found = grounds.neighbours();
    return new GroundsView(
        grounds.parts().map(MemoryPartsView::of).orElse(null),
        found == null ? null : found.stream().map(NeighbourView::of).toList());
  }

  /**
   * Parts of peak memory.
   *
   * @param process driver context and libraries
   * @param weights including the moments of the optimizer
   * @param gradients with temporaries of the step, as far as they reuse no other memory
   * @param activations saved for the backward pass, or alive at the largest step of inference
   * @param workspaces of convolutions
   */
  record MemoryPartsView(
      @JsonProperty("process_bytes") long process,
      @JsonProperty("weights_bytes") long weights,
      @JsonProperty("gradients_bytes") long gradients,
      @JsonProperty("activations_bytes") long activations,
      @JsonProperty("workspaces_bytes") long workspaces) {
    static MemoryPartsView of(MemoryParts parts) {
      return new MemoryPartsView(
          parts.process().bytes(),
          parts.weights().bytes(),
          parts.gradients().bytes(),
          parts.activations().bytes(),
          parts.workspaces().bytes());
    }
  }

  /**
   * A measured run.
   *
   * @param number of the row in GET /v1/profiles
   * @param distance of the logarithms of work, parameters, activations, batch and layers; 0 for an
   *     equal network and batch
   * @param isHeldOut whether trainings leave it out, to compare versions on it
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record NeighbourView(
      @JsonProperty("number") long number,
      @JsonProperty("model") String model,
      @JsonProperty("batch_size") int batchSize,
      @JsonProperty("distance") double distance,
      @JsonProperty("utilization_percent") @Nullable Double utilizationPercent,
      @JsonProperty("peak_memory_bytes") @Nullable Long peakMemoryBytes,
      @JsonProperty("received_at") String receivedAt,
      @JsonProperty("held_out") boolean isHeldOut) {
    static NeighbourView of(Neighbour neighbour) {
      ProfileRow row = neighbour.run().row();
      Utilization utilization = row.utilization();
      MemorySize peak = row.peakMemory();
      return new NeighbourView(
          neighbour.run().number(),
          row.topology(),
          row.features().batchSize(),
          Math.round(neighbour.distance() * 1e3) / 1e3,
          utilization == null ? null : Double.valueOf(utilization.percent()),
          peak == null ? null : Long.valueOf(peak.bytes()),
          neighbour.run().receivedAt().toString(),
          neighbour.run().isHeldOut());
    }
  }
}

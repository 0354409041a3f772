package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.history.HistoryStore.GpuPoint;
import java.util.List;

/**
 * What a GPU looked like.
 *
 * @param points in order of time; none for a GPU that is not known
 */
public record GpuHistoryView(
    @JsonProperty("uuid") String uuid, @JsonProperty("points") List<GpuPoint> points) {
  public GpuHistoryView {
    points = List.copyOf(points);
  }
}

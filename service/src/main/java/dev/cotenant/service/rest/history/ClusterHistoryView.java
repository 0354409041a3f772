package dev.cotenant.service.rest.history;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.service.history.HistoryStore.Point;
import java.util.List;

/**
 * What the cluster looked like.
 *
 * @param stepMinutes minutes of a point, which has their means
 * @param points in order of time; a point without a stored minute is absent
 */
public record ClusterHistoryView(
    @JsonProperty("step_minutes") int stepMinutes, @JsonProperty("points") List<Point> points) {
  public ClusterHistoryView {
    points = List.copyOf(points);
  }
}

package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.ReasonView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.rest.decision.RequestedView.FitView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that was reserved.
 *
 * @param id names it; also the value of the pod's annotation {@code cotenant.dev/admission-id}
 * @param state {@code ALLOCATED} until it is confirmed or expires, {@code BOUND} once it is a
 *     pod's, {@code RELEASED} when it holds nothing any more
 * @param version grows with every change; what {@code If-Match} names
 * @param node of all its GPUs
 * @param expiresAt when it expires unless it is confirmed; absent once it is a pod's
 * @param pod whose it is; absent until it is confirmed
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ReservationView(
    @JsonProperty("id") String id,
    @JsonProperty("state") GrantState state,
    @JsonProperty("version") int version,
    @JsonProperty("node") String node,
    @JsonProperty("gpus") List<String> gpus,
    @JsonProperty("created_at") String createdAt,
    @JsonProperty("expires_at") @Nullable String expiresAt,
    @JsonProperty("pod") @Nullable PodView pod,
    @JsonProperty("requested") RequestedView requested,
    @JsonProperty("decision") DecisionView decision) {

  /** The pod that took it. */
  record PodView(
      @JsonProperty("namespace") String namespace,
      @JsonProperty("name") String name,
      @JsonProperty("uid") String uid) {}

  static ReservationView of(Reservation reservation, GrantState state) {
    Reservation.BoundPod bound = reservation.boundTo();
    return new ReservationView(
        reservation.id(),
        state,
        reservation.version(),
        reservation.granted().grants().getFirst().node(),
        reservation.granted().grants().stream().map(Grant::gpuUuid).toList(),
        reservation.createdAt().toString(),
        bound == null ? reservation.expiresAt().toString() : null,
        bound == null ? null : new PodView(bound.namespace(), bound.name(), bound.uid()),
        RequestedView.of(reservation.request()),
        DecisionView.of(
            reservation.request().pod().toString(),
            reservation.request().model(),
            reservation.granted()));
  }

  /**
   * No capacity: a problem document with the reasons.
   *
   * @param result {@code Held} where there may be later, {@code Denied} where never
   * @param reasons the most useful first
   * @param whatWouldFit the largest batch that would have been reserved; absent where none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record RefusedView(
      @JsonProperty("type") String type,
      @JsonProperty("title") String title,
      @JsonProperty("status") int status,
      @JsonProperty("detail") String detail,
      @JsonProperty("code") String code,
      @JsonProperty("result") String result,
      @JsonProperty("reasons") List<ReasonView> reasons,
      @JsonProperty("reason_count") int reasonCount,
      @JsonProperty("largest_fitting_batch") @Nullable FitView whatWouldFit) {
    static final int STATUS = 409;

    static RefusedView of(ReservationOutcome.Refused refused, Visibility visibility) {
      DecisionView decision = DecisionView.of("", "", Redaction.of(refused.decision(), visibility));
      ReasonView first = decision.reasons().getFirst();
      return new RefusedView(
          "about:blank",
          "Conflict",
          STATUS,
          "No capacity: " + first.code() + ": " + first.message() + ".",
          "no-capacity",
          decision.result(),
          decision.reasons(),
          refused.reasonCount(),
          FitView.of(refused.fits()));
    }
  }
}

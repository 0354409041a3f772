package dev.cotenant.service.rest.decision;

import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.reservation.Confirmation;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.Reservations.Seen;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.IdempotencyKey;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.ProblemView;
import dev.cotenant.service.rest.Problems;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.decision.ReservationDocument.ConfirmationDocument;
import dev.cotenant.service.rest.decision.ReservationView.RefusedView;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Capacity for callers that make their pods themselves. */
@Tag(name = "Reservations", description = "Capacity reserved for a scheduler")
@Path("/v1/reservations")
@Produces(MediaType.APPLICATION_JSON)
public class ReservationResource {
  private final Reservations reservations;

  ReservationResource(Reservations reservations) {
    this.reservations = reservations;
  }

  /** Reserves. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Reserve capacity for a pod",
      description =
          "Decides as for any pod and allocates the capacity until the reservation is confirmed or"
              + " expires. A repeated key of the same caller with the same body gets the same"
              + " answer, with another body 422. Without free capacity 409, with the numbered"
              + " reasons and the largest fitting batch.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = ReservationDocument.class),
              examples = {
                @ExampleObject(name = "workload", ref = "reserve"),
                @ExampleObject(name = "pod", ref = "reserve-pod")
              }))
  @APIResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = ReservationView.class)))
  @APIResponse(
      responseCode = "409",
      description = "No capacity",
      content =
          @Content(
              mediaType = ProblemView.MEDIA_TYPE,
              schema = @Schema(implementation = RefusedView.class)))
  public Response reserve(
      @Parameter(
              required = true,
              description = "A UUID, the same when the request is repeated",
              example = Examples.IDEMPOTENCY_KEY)
          @HeaderParam(IdempotencyKey.HEADER)
          @Nullable String key,
      @Context SecurityContext context,
      InputStream body) {
    Call call = Call.of(context);
    String name = IdempotencyKey.of(key);
    byte[] bytes = JsonBody.bytes(body, JsonBody.MAX_BYTES);
    ReservationDocument document =
        JsonBody.read(new ByteArrayInputStream(bytes), ReservationDocument.class);
    Colocatable requested = document.requested();
    call.requireIn(requested.pod().namespace());
    ReservationOutcome outcome =
        reservations.reserve(
            new Reservations.Request(
                new Reservation.RequestKey(
                    call.caller().getName(), name, IdempotencyKey.fingerprint(bytes)),
                requested));
    return switch (outcome) {
      case ReservationOutcome.Reserved(Reservation made) ->
          shown(Response.created(URI.create("/v1/reservations/" + made.id())), made);
      case ReservationOutcome.Refused refused ->
          Response.status(RefusedView.STATUS)
              .type(ProblemView.MEDIA_TYPE)
              .entity(RefusedView.of(refused, call.visibility()))
              .build();
      case ReservationOutcome.KeyReused _ ->
          problem(
              422,
              "Unprocessable Content",
              "idempotency-key-reused",
              "This Idempotency-Key was used with another body: send a new one.");
    };
  }

  /** Looks. */
  @GET
  @Path("/{id}")
  @Operation(summary = "Show a reservation")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ReservationView.class)))
  public Response get(
      @Parameter(example = Examples.RESERVATION) @PathParam("id") String id,
      @Context SecurityContext context) {
    return permitted(id, Call.of(context))
        .map(seen -> shown(Response.ok(), seen.reservation(), seen.state()))
        .orElseGet(() -> unknown(id));
  }

  /** The reservation, for its creator and for callers with a right in its namespace. */
  private Optional<Seen> permitted(String id, Call call) {
    Optional<Seen> found = reservations.find(id);
    found
        .map(Seen::reservation)
        .ifPresent(seen -> call.requireOwn(seen.key().caller(), seen.request().pod().namespace()));
    return found;
  }

  /** Binds. */
  @POST
  @Path("/{id}/confirm")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Confirm a reservation for a pod",
      description =
          "A confirmed reservation does not expire: it ends with its pod if the pod is watched,"
              + " else when it is deleted. 409 if another pod has it, 410 if it has expired, 412"
              + " if If-Match does not match its version.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = ConfirmationDocument.class),
              examples = @ExampleObject(name = "pod", ref = "confirm")))
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ReservationView.class)))
  public Response confirm(
      @Parameter(example = Examples.RESERVATION) @PathParam("id") String id,
      @Parameter(description = "ETag of the version last read", example = "\"1\"")
          @HeaderParam(HttpHeaders.IF_MATCH)
          @Nullable String ifMatch,
      @Context SecurityContext context,
      InputStream body) {
    Call call = Call.of(context);
    Optional<Reservation> reservation = permitted(id, call).map(Seen::reservation);
    if (reservation.isEmpty()) {
      return unknown(id);
    }
    ConfirmationDocument document = JsonBody.read(body, ConfirmationDocument.class);
    BoundPod pod =
        new BoundPod(
            Required.of(document.namespace(), "namespace"),
            PodNames.require(Required.of(document.name(), "name"), "name"),
            Required.of(document.uid(), "uid"));
    if (!pod.namespace().equals(reservation.get().request().pod().namespace())) {
      call.requireIn(pod.namespace());
    }
    return switch (reservations.confirm(id, version(ifMatch), pod)) {
      case Confirmation.Confirmed(Reservation bound) -> shown(Response.ok(), bound);
      case Confirmation.Changed(Reservation now) ->
          problem(
              412,
              "Precondition Failed",
              "version-changed",
              "The reservation is at version " + now.version() + ": read it again.");
      case Confirmation.OtherPod(Reservation now) ->
          problem(
              409,
              "Conflict",
              "reserved-for-another-pod",
              "The reservation is that of pod " + String.valueOf(now.boundTo()) + ".");
      case Confirmation.Expired _ ->
          problem(
              410,
              "Gone",
              "reservation-expired",
              "The reservation has ended: reserve again with a new key.");
      case Confirmation.Unknown _ -> unknown(id);
    };
  }

  /** Gives back. */
  @DELETE
  @Path("/{id}")
  @Operation(
      summary = "Release a reservation",
      description = "Also a confirmed one, whether or not its pod still runs. Idempotent.")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ReservationView.class)))
  public Response release(
      @Parameter(example = Examples.RESERVATION) @PathParam("id") String id,
      @Context SecurityContext context) {
    return permitted(id, Call.of(context)).isPresent() && reservations.release(id)
        ? get(id, context)
        : unknown(id);
  }

  private Response shown(Response.ResponseBuilder response, Reservation reservation) {
    return reservations
        .find(reservation.id())
        .map(seen -> shown(response, reservation, seen.state()))
        .orElseGet(() -> shown(response, reservation, GrantState.RELEASED));
  }

  private static Response shown(
      Response.ResponseBuilder response, Reservation reservation, GrantState state) {
    return response
        .tag(String.valueOf(reservation.version()))
        .entity(ReservationView.of(reservation, state))
        .build();
  }

  private static @Nullable Integer version(@Nullable String ifMatch) {
    if (ifMatch == null || ifMatch.strip().equals("*")) {
      return null;
    }
    String version = ifMatch.strip().replaceAll("^\"|\"$", "");
    if (!version.matches("\\d{1,9}")) {
      throw InputException.invalidArgument(
          "bad-version", "If-Match names a version, such as \"1\"; '" + ifMatch + "' is none.");
    }
    return Integer.valueOf(version);
  }

  private static Response unknown(String id) {
    return problem(
        404,
        "Not Found",
        "unknown-reservation",
        "There is no reservation '" + id + "', or it ended long ago.");
  }

  private static Response problem(int status, String title, String code, String detail) {
    return Problems.response(ProblemView.of(status, title, code, detail)).build();
  }
}

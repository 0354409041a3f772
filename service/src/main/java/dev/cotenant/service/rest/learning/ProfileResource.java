package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.profile.Plausibility;
import dev.cotenant.engine.profile.ProfileRowReader;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.service.access.Caller;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.learning.ProfileViews.AddedView;
import dev.cotenant.service.rest.learning.ProfileViews.PageView;
import dev.cotenant.service.rest.learning.ProfileViews.ProfileView;
import dev.cotenant.service.rest.learning.ProfileViews.RejectedView;
import dev.cotenant.service.rest.learning.ProfileViews.WithdrawnView;
import dev.cotenant.service.rest.query.QueryNumbers;
import dev.cotenant.service.serving.EngineFeedback;
import dev.cotenant.service.serving.ServingReports;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The cluster's own measured runs. */
@Tag(name = "Learning", description = "Measured runs, trainings, and versions of predictors")
@Path("/v1/profiles")
@Produces(MediaType.APPLICATION_JSON)
public class ProfileResource {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 1_000;

  private static final String CSV = "text/csv";

  private static final String SERVING = "serving";
  private static final int MAX_STARTS = 100;

  private final ModelStore store;
  private final StoredRuns measured;
  private final ServingReports servers;
  private final EngineFeedback running;
  private final EvidenceCounts evidence;
  private final ProfileRowReader reader;

  ProfileResource(
      ModelStore store,
      StoredRuns measured,
      Engine engine,
      ModelRegistry registry,
      ServingReports servers,
      EngineFeedback running,
      EvidenceCounts evidence) {
    this.store = store;
    this.measured = measured;
    this.servers = servers;
    this.running = running;
    this.evidence = evidence;
    reader =
        new ProfileRowReader(
            engine.devices(),
            (model, batch) ->
                registry
                    .find(model)
                    .map(found -> engine.inspect(found.graph(), Engine.batchOf(batch)).model()));
  }

  /** Takes rows in. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Add measured runs",
      description =
          "Wrong rows are listed with their line and the reason, the others are stored; a row whose"
              + " content is stored already counts as a duplicate. A CSV names its columns in the"
              + " first line, with the names that JSON has as keys. Rows with a namespace move the"
              + " predictions of that namespace alone, and need a right there alone. With kind"
              + " 'serving': measured starts of servers of language models in one namespace, as"
              + " lines of their logs or as values, which need a right in that namespace alone and"
              + " move its predictions alone. A start that names its pod lets the next server on"
              + " the GPU of that pod start.")
  @RequestBody(
      required = true,
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = ProfilesDocument.class),
            examples = {
              @ExampleObject(name = "rows", ref = "profiles-request"),
              @ExampleObject(name = "serving", ref = "serving-request")
            }),
        @Content(
            mediaType = CSV,
            schema = @Schema(type = SchemaType.STRING),
            examples = @ExampleObject(name = "csv", ref = "profiles-csv"))
      })
  public AddedView addJson(@Context SecurityContext context, InputStream body) {
    ProfilesDocument document =
        JsonBody.read(body, ProfilesDocument.class, JsonBody.MAX_ROWS_BYTES);
    Call call = Call.of(context);
    if (document.kind() != null) {
      return addStarts(document, call);
    }
    String scope = scope(call, document.namespace());
    if (document.starts() != null) {
      throw InputException.invalidArgument(
          "missing-argument", "'kind' is missing: starts are of kind 'serving'.");
    }
    return add(ProfileBody.json(document), call.caller(), scope);
  }

  /** Where rows count: in a namespace, with the right there, or everywhere. */
  private static String scope(Call call, @Nullable String namespace) {
    if (namespace == null) {
      call.requireEverywhere();
      return ProfileStore.SHARED;
    }
    call.requireIn(namespace);
    return namespace;
  }

  /** Takes a CSV in. */
  @POST
  @Consumes(CSV)
  public AddedView addCsv(
      @Context SecurityContext context,
      @Parameter(
              description =
                  "With a CSV: the namespace whose predictions alone the rows move; absent for all")
          @QueryParam("namespace")
          @Nullable String namespace,
      InputStream body) {
    Call call = Call.of(context);
    String scope = scope(call, namespace);
    return add(ProfileBody.csv(body), call.caller(), scope);
  }

  private AddedView addStarts(ProfilesDocument document, Call call) {
    if (!SERVING.equals(document.kind()) || document.rows() != null) {
      throw InputException.invalidArgument(
          "bad-kind",
          "The kind of profiles with 'namespace' and 'starts' is 'serving'; rows have none.");
    }
    String namespace = Required.of(document.namespace(), "namespace");
    call.requireIn(namespace);
    List<@Nullable StartsDocument> starts = Required.of(document.starts(), "starts");
    if (starts.size() > MAX_STARTS) {
      throw InputException.tooLarge(
          "too-many-starts", "At most " + MAX_STARTS + " starts may come at once: send several.");
    }
    List<ServingReports.Reported> reports = new ArrayList<>();
    for (StartsDocument start : starts) {
      reports.add(Required.of(start, "starts[]").reported());
    }
    AddedView added = AddedView.of(servers.add(namespace, call.caller().recorded(), reports));
    for (ServingReports.Reported report : reports) {
      String pod = report.pod();
      if (pod != null && ServingReports.isComplete(report)) {
        running.serves(namespace, pod);
      }
    }
    return added;
  }

  private AddedView add(ProfileBody.Rows body, Caller caller, String scope) {
    List<ProfileBody.Line> lines = body.lines();
    List<ProfileRow> rows = new ArrayList<>();
    List<RejectedView> rejected = new ArrayList<>();
    for (ProfileBody.Line line : lines) {
      try {
        rows.add(of(caller, plausible(reader.read(line.fields()))));
      } catch (InputException e) {
        rejected.add(new RejectedView(line.line(), e.getMessage()));
      }
    }
    List<Prediction> before = rows.stream().map(evidence::predicted).toList();
    List<Boolean> added = store.profiles().add(scope, rows, InstantSource.system().instant());
    for (int i = 0; i < rows.size(); i++) {
      if (added.get(i)) {
        evidence.measured(scope, rows.get(i), before.get(i));
      }
    }
    int fresh = (int) added.stream().filter(Boolean::booleanValue).count();
    return new AddedView(lines.size(), fresh, rows.size() - fresh, rejected, body.ignored());
  }

  /** The row with the authenticated caller as its origin, and its own words after that. */
  private static ProfileRow of(Caller caller, ProfileRow row) {
    String source = StoredProfile.source(caller.recorded(), row.source());
    return row.withSource(source.substring(0, Math.min(Caller.MAX_RECORDED, source.length())));
  }

  private static ProfileRow plausible(ProfileRow row) {
    if (!Plausibility.isPlausible(row)) {
      throw InputException.malformed(
          "implausible-profile",
          "peak_memory_bytes is "
              + row.peakMemory()
              + ", less than the weights and a context, "
              + Plausibility.leastMemory(row)
              + ": measure the memory of the device, and a run that has begun");
    }
    return row;
  }

  /** Withdraws the rows of a source. */
  @DELETE
  @Operation(
      summary = "Withdraw the measured runs of a source",
      description =
          "Measured-run predictions and later trainings no longer use them; versions trained with"
              + " them stay. Rows that are posted again are new.")
  public WithdrawnView withdrawAll(
      @Parameter(
              description = "Source of the rows, as in their field source",
              required = true,
              example = "local: example")
          @QueryParam("source")
          @Nullable String source) {
    int withdrawn = store.profiles().removeFrom(Required.of(source, "source"));
    if (withdrawn == 0) {
      throw InputException.notFound(
          "unknown-source", "No stored row has this source: GET /v1/profiles lists rows.");
    }
    measured.refresh();
    return new WithdrawnView(withdrawn);
  }

  /** Withdraws one row. */
  @DELETE
  @Path("/{number}")
  @Operation(summary = "Withdraw a measured run", description = "As those of a source.")
  public WithdrawnView withdraw(
      @Parameter(description = "Number of the row", example = "1") @PathParam("number")
          String number) {
    if (!store.profiles().remove(QueryNumbers.positiveOr(1, "number", number))) {
      throw InputException.notFound(
          "unknown-row", "There is no row " + number + ": GET /v1/profiles lists rows.");
    }
    measured.refresh();
    return new WithdrawnView(1);
  }

  /** Lists rows. */
  @GET
  @Operation(summary = "List measured runs in the order of their arrival, a page at a time")
  public PageView page(
      @Parameter(
              description =
                  "Number of the last row of the previous page; absent for the first page",
              example = "0")
          @QueryParam("after")
          @Nullable String after,
      @Parameter(description = "Maximum number of rows, up to 1000, default 100")
          @QueryParam("limit")
          @Nullable String limit,
      @Parameter(description = "Origin of the rows, as they show it in source; absent: any")
          @QueryParam("source")
          @Nullable String source,
      @Parameter(description = "Id of the device of the rows; absent: any") @QueryParam("device")
          @Nullable String device) {
    long from = after == null || after.equals("0") ? 0 : QueryNumbers.positiveOr(1, "after", after);
    int most = Math.min(MAX_LIMIT, QueryNumbers.positiveOr(DEFAULT_LIMIT, "limit", limit));
    List<StoredProfile> page =
        store.profiles().page(from, most, new ProfileStore.Selection(source, device));
    long next = page.isEmpty() ? from : page.getLast().number();
    return new PageView(
        store.profiles().count(), page.stream().map(ProfileView::of).toList(), next);
  }
}

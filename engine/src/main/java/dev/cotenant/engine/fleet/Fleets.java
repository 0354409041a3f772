package dev.cotenant.engine.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.fleet.FleetStore.Stored;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.ModelSource;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.serving.ControllerState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Fleets in shadow mode: documents and loop states are stored, so that any replica can make the
 * next decision, also after a restart.
 */
public final class Fleets {
  /** Between two decisions about a fleet: that of gpu-lets' experiments. */
  public static final Duration PERIOD = Duration.ofSeconds(20);

  private static final Duration MAX_AGE = Duration.ofSeconds(90);
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final JsonMapper JSON = new JsonMapper();

  private final FleetStore store;
  private final Understanding understanding;
  private final Optional<PrometheusSettings> server;
  private final InstantSource clock;
  private final Map<String, Known> known = new HashMap<>();

  /**
   * How documents are understood.
   *
   * @param planner of fleets
   * @param profiles of the whole cluster
   * @param models by name
   */
  public record Understanding(
      FleetPlanner planner, Supplier<ProfileBook> profiles, ModelSource models) {
    WatchedFleet of(String document, String name) {
      byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
      return WatchedFleet.of(
          planner.with(profiles.get()), FleetDocument.of(bytes, name), models, name);
    }
  }

  /** A document that was understood: profiles that change later count for documents sent later. */
  private record Known(Instant storedAt, WatchedFleet fleet) {}

  /**
   * @param server where metrics are; without one nothing is decided
   */
  public Fleets(
      FleetStore store,
      Understanding understanding,
      Optional<PrometheusSettings> server,
      InstantSource clock) {
    this.store = store;
    this.understanding = understanding;
    this.server = server;
    this.clock = clock;
  }

  /**
   * Adds or replaces a fleet by name.
   *
   * @throws InputException ({@code bad-fleet-name}, {@code bad-plan}, {@code too-many-fleets})
   */
  public Stored add(String name, byte[] document, String by) {
    requireName(name);
    String text = new String(document, StandardCharsets.UTF_8);
    WatchedFleet fleet = understanding.of(text, "the body");
    Instant at = clock.instant();
    if (!store.put(name, text, by, at)) {
      throw InputException.tooLarge(
          "too-many-fleets",
          "At most " + FleetStore.MAX_FLEETS + " fleets are watched: delete one first.");
    }
    Stored stored = find(name);
    synchronized (known) {
      known.put(name, new Known(stored.storedAt(), fleet));
    }
    return stored;
  }

  /**
   * A fleet by its name.
   *
   * @throws InputException ({@code unknown-fleet})
   */
  public Stored find(String name) {
    return store.find(name).orElseThrow(Fleets::unknown);
  }

  /** All by name. */
  public List<Stored> all() {
    return store.all();
  }

  /**
   * Deletes a fleet.
   *
   * @throws InputException ({@code unknown-fleet})
   */
  public void delete(String name) {
    if (!store.delete(name)) {
      throw unknown();
    }
    synchronized (known) {
      known.remove(name);
    }
  }

  private static InputException unknown() {
    return InputException.notFound(
        "unknown-fleet", "No fleet of this name is watched: GET /v1/fleets lists them.");
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw InputException.invalidArgument(
          "bad-fleet-name",
          "Parameter name: 1 to 63 lower-case letters, digits and '-', such as team-a.");
    }
  }

  /** The last decision about a fleet; empty before the first. */
  public Optional<FleetView> view(Stored stored) {
    return stored.view().isEmpty() ? Optional.empty() : read(stored.view(), FleetView.class);
  }

  /** Why nothing is decided; empty where something is. */
  public Optional<String> waiting() {
    return server.isPresent()
        ? Optional.empty()
        : Optional.of("no metrics server is configured: set cotenant.prometheus.url");
  }

  /**
   * A decision that is due.
   *
   * @param name of the fleet
   * @param decide makes and stores it; throws if this fleet cannot be decided on, such as an {@link
   *     InputException} for a deleted model
   */
  public record Due(String name, Runnable decide) {}

  /** Fleets whose period is over, those first that have waited longest. */
  public List<Due> due() {
    if (server.isEmpty()) {
      return List.of();
    }
    Instant now = clock.instant();
    return store.all().stream()
        .filter(stored -> stored.view().isEmpty() || !now.isBefore(stored.decidedAt().plus(PERIOD)))
        .sorted(Comparator.comparing(Stored::decidedAt).thenComparing(Stored::name))
        .map(stored -> new Due(stored.name(), () -> decide(stored, server.get())))
        .toList();
  }

  private void decide(Stored stored, PrometheusSettings settings) {
    WatchedFleet fleet = fleet(stored);
    ControllerState before =
        stored.state().isEmpty()
            ? fleet.start()
            : read(stored.state(), FleetStateDocument.class)
                .map(FleetStateDocument::state)
                .orElseGet(fleet::start);
    Instant at = clock.instant();
    try (FleetLoop loop = new FleetLoop(fleet, new FleetMetrics(settings, MAX_AGE), before)) {
      FleetView view = loop.step(at);
      store.decided(stored, text(FleetStateDocument.of(loop.state())), text(view), at);
    }
  }

  private WatchedFleet fleet(Stored stored) {
    synchronized (known) {
      Known last = known.get(stored.name());
      if (last != null && last.storedAt().equals(stored.storedAt())) {
        return last.fleet();
      }
      WatchedFleet fleet = understanding.of(stored.document(), stored.name());
      known.keySet().retainAll(store.all().stream().map(Stored::name).toList());
      known.put(stored.name(), new Known(stored.storedAt(), fleet));
      return fleet;
    }
  }

  /** Empty where another version of the service stored what this one does not understand. */
  private static <T> Optional<T> read(String json, Class<T> type) {
    try {
      return Optional.of(JSON.readValue(json, type));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static String text(Object view) {
    try {
      return JSON.writeValueAsString(view);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}

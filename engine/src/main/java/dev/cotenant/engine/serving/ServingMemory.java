package dev.cotenant.engine.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.serving.ServingVersion.Grounds;
import dev.cotenant.llm.serving.LearntServing;
import dev.cotenant.llm.serving.LearntServing.Release;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingConstants;
import dev.cotenant.llm.serving.VllmVersion;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The constants in force for the servers of each namespace, of stored starts and versions. A
 * namespace's starts move its own predictions alone. While the store is down the last constants
 * stay. Safe for use by several threads.
 */
public final class ServingMemory {
  /** Between two looks at one namespace. */
  static final Duration LEAST_INTERVAL = Duration.ofSeconds(30);

  /** Starts that are predicted from earlier ones before constants change, either way. */
  private static final int LEAST_SCORED = 3;

  private static final String AUTOMATIC = "cotenant";
  private static final double GIB = 1L << 30;
  private static final Known NOTHING = new Known("", Instant.MIN, Map.of());

  private final ServingStore store;
  private final InstantSource clock;
  private volatile Map<String, Known> known = Map.of();

  /** What is in force for one namespace. */
  private record Known(String state, Instant learntAt, Map<VllmVersion, ServingCoefficients> learnt)
      implements ReleaseCoefficients {
    @Override
    public boolean isPromoted(VllmVersion version) {
      return learnt.containsKey(version);
    }

    @Override
    public ServingCoefficients coefficients(VllmVersion version) {
      ServingCoefficients own = learnt.get(version);
      return own == null ? LearntServing.NONE.coefficients(version) : own;
    }
  }

  /** Knows nothing yet. */
  public ServingMemory(ServingStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /** The constants for the servers of a namespace; the shipped ones where nothing is learnt. */
  public ReleaseCoefficients of(String namespace) {
    return known.getOrDefault(namespace, NOTHING);
  }

  /**
   * Looks at the namespace that has changed and was looked at the longest ago.
   *
   * @return whether constants in force have changed
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized boolean refresh() {
    Map<String, String> states = store.states();
    Instant now = clock.instant();
    @Nullable String next = null;
    for (String namespace : new TreeSet<>(states.keySet())) {
      Known before = known.getOrDefault(namespace, NOTHING);
      boolean isDue =
          !before.state.equals(states.get(namespace))
              && (before.state.isEmpty() || !now.isBefore(before.learntAt.plus(LEAST_INTERVAL)));
      if (isDue
          && (next == null
              || before.learntAt.isBefore(known.getOrDefault(next, NOTHING).learntAt))) {
        next = namespace;
      }
    }
    if (next == null) {
      return false;
    }
    judge(next, now);
    return load(next, Objects.requireNonNullElse(states.get(next), ""), now);
  }

  /** Puts constants in force that proved better, and out of force those that did not. */
  private void judge(String namespace, Instant now) {
    Map<String, List<ServingVersion>> versions = versions(namespace);
    for (Map.Entry<String, List<ServingStart>> of : countedStarts(namespace, versions).entrySet()) {
      List<LearntServing> each = readable(of.getValue());
      for (Release release : LearntServing.joined(each).releases()) {
        List<ServingVersion> own = versions.getOrDefault(of.getKey(), List.of());
        ServingVersion next = next(namespace, release, own, now);
        if (next != null) {
          store.add(next); // where it is not added, another replica did
        }
      }
    }
  }

  /** Without those in the format of another release of Cotenant. */
  private static List<LearntServing> readable(List<ServingStart> starts) {
    List<LearntServing> readable = new ArrayList<>();
    for (ServingStart start : starts) {
      start.learnt().ifPresent(readable::add);
    }
    return readable;
  }

  /** Starts by release; those from before a person's roll-back prove nothing any more. */
  private Map<String, List<ServingStart>> countedStarts(
      String namespace, Map<String, List<ServingVersion>> versions) {
    Map<String, List<ServingStart>> counted = new TreeMap<>();
    for (ServingStart start : store.starts(namespace)) {
      Instant from =
          versions.getOrDefault(start.release(), List.of()).stream()
              .filter(version -> version.grounds() == Grounds.ROLLBACK)
              .map(ServingVersion::at)
              .reduce(Instant.MIN, (_, later) -> later);
      if (start.at().isAfter(from)) {
        counted.computeIfAbsent(start.release(), _ -> new ArrayList<>()).add(start);
      }
    }
    return counted;
  }

  private static @Nullable ServingVersion next(
      String namespace, Release release, List<ServingVersion> own, Instant now) {
    ServingVersion last = own.isEmpty() ? null : own.getLast();
    boolean inForce = last != null && last.constants() != null;
    int before = last == null ? 0 : last.starts();
    if (release.scored() < LEAST_SCORED) {
      return null;
    }
    String errors =
        String.format(
            Locale.ROOT,
            "mean error over %d starts %.3f GiB, of the shipped constants %.3f GiB",
            release.scored(),
            release.learntError() / GIB,
            release.shippedError() / GIB);
    long number = last == null ? 1 : last.number() + 1;
    String text = release.version().toString();
    if (release.promoted() && (!inForce || release.starts() >= 2 * before)) {
      String constants = ServingConstants.of(release.learnt()).write();
      return new ServingVersion(
          namespace,
          text,
          number,
          now,
          AUTOMATIC,
          Grounds.BETTER,
          release.starts(),
          constants,
          errors);
    }
    return !release.promoted() && inForce
        ? new ServingVersion(
            namespace, text, number, now, AUTOMATIC, Grounds.WORSE, release.starts(), null, errors)
        : null;
  }

  private boolean load(String namespace, String state, Instant now) {
    Map<VllmVersion, ServingCoefficients> learnt = new HashMap<>();
    versions(namespace)
        .forEach((release, versions) -> {
          String constants = versions.getLast().constants();
          if (constants != null) {
            VllmVersion version = VllmVersion.of(release);
            learnt.put(version, ServingConstants.read(constants, release).coefficients(version));
          }
        });
    Known before = known.getOrDefault(namespace, NOTHING);
    Map<String, Known> all = new HashMap<>(known);
    all.put(namespace, new Known(state, now, Map.copyOf(learnt)));
    known = all;
    return !constants(before).equals(constants(all.getOrDefault(namespace, NOTHING)));
  }

  private static Map<VllmVersion, ServingConstants> constants(Known known) {
    Map<VllmVersion, ServingConstants> constants = new HashMap<>();
    known.learnt.forEach((version, own) -> constants.put(version, ServingConstants.of(own)));
    return constants;
  }

  /** Versions of a namespace by release. */
  public Map<String, List<ServingVersion>> versions(String namespace) {
    Map<String, List<ServingVersion>> versions = new TreeMap<>();
    for (ServingVersion version : store.versions(namespace)) {
      versions.computeIfAbsent(version.release(), _ -> new ArrayList<>()).add(version);
    }
    return versions;
  }

  /**
   * Back to the constants before the present ones; starts from before then count no more.
   *
   * @param release of vLLM
   * @throws InputException ({@code bad-engine-version})
   * @throws ConflictException ({@code no-previous-version}, {@code promotion-conflict})
   */
  public synchronized ServingVersion rollBack(
      String namespace, String release, String by, String reason) {
    String text = VllmVersion.of(release).toString();
    List<ServingVersion> own = versions(namespace).getOrDefault(text, List.of());
    Deque<String> before = new ArrayDeque<>(List.of("")); // the shipped ones
    for (ServingVersion version : own) {
      String constants = Objects.requireNonNullElse(version.constants(), "");
      if (version.grounds() == Grounds.BETTER) {
        before.push(constants);
      } else {
        while (!before.element().equals(constants)) {
          before.pop();
        }
      }
    }
    if (before.size() < 2) {
      throw new ConflictException(
          "no-previous-version",
          "The shipped constants are in force for vLLM " + text + ": there is no way back.");
    }
    before.pop();
    String constants = before.element();
    ServingVersion version =
        new ServingVersion(
            namespace,
            text,
            own.getLast().number() + 1,
            clock.instant(),
            by,
            Grounds.ROLLBACK,
            0,
            constants.isEmpty() ? null : constants,
            reason);
    if (!store.add(version)) {
      throw new ConflictException(
          "promotion-conflict",
          "Other constants came in force at the same time: read GET /v1/constants and repeat.");
    }
    load(namespace, "", clock.instant());
    return version;
  }
}

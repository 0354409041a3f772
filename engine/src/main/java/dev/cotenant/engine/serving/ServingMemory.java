package dev.cotenant.engine.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.serving.ServingVersion.Grounds;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.LearnedServing.Release;
import dev.cotenant.llm.serving.LearnedServing.Trial;
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
import java.util.Set;
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
  static final Duration MIN_INTERVAL = Duration.ofSeconds(30);

  /** Starts that are predicted from earlier ones before constants change, either way. */
  private static final int MIN_SCORED = 3;

  /** Starts after which learned constants replace others, at most: as many as those rest on. */
  private static final int MAX_AWAITED = 8;

  private static final String AUTOMATIC = "cotenant";
  private static final Known NOTHING = new Known("", Instant.MIN, Map.of());

  private final ServingStore store;
  private final InstantSource clock;
  private volatile Map<String, Known> known = Map.of();
  private boolean isLoaded;

  /** What is in force for one namespace. */
  private record Known(
      String state, Instant learnedAt, Map<VllmVersion, ServingCoefficients> learned)
      implements ReleaseCoefficients {
    @Override
    public boolean isPromoted(VllmVersion version) {
      return learned.containsKey(version);
    }

    @Override
    public ServingCoefficients coefficients(VllmVersion version) {
      ServingCoefficients own = learned.get(version);
      return own == null ? LearnedServing.NONE.coefficients(version) : own;
    }
  }

  /** Knows nothing yet. */
  public ServingMemory(ServingStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /** The constants for the servers of a namespace; the shipped ones where nothing is learned. */
  public ReleaseCoefficients of(String namespace) {
    return known.getOrDefault(namespace, NOTHING);
  }

  /**
   * Refreshes the changed namespace that was refreshed least recently; the first call loads the
   * constants of all namespaces. Namespaces without starts and versions are forgotten.
   *
   * @return whether constants in force have changed
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized boolean refresh() {
    Map<String, String> states = store.states();
    Instant now = clock.instant();
    boolean hasChanged = forgetAllBut(states.keySet());
    if (!isLoaded) {
      for (String namespace : states.keySet()) {
        hasChanged |= load(namespace, "", Instant.MIN);
      }
      isLoaded = true;
    }
    @Nullable String next = null;
    for (String namespace : new TreeSet<>(states.keySet())) {
      Known before = known.getOrDefault(namespace, NOTHING);
      boolean isDue =
          !before.state.equals(states.get(namespace))
              && (before.state.isEmpty() || !now.isBefore(before.learnedAt.plus(MIN_INTERVAL)));
      if (isDue
          && (next == null
              || before.learnedAt.isBefore(known.getOrDefault(next, NOTHING).learnedAt))) {
        next = namespace;
      }
    }
    if (next == null) {
      return hasChanged;
    }
    judge(next, now);
    return load(next, Objects.requireNonNullElse(states.get(next), ""), now) || hasChanged;
  }

  private boolean forgetAllBut(Set<String> namespaces) {
    Map<String, Known> gone = new HashMap<>(known);
    gone.keySet().removeAll(namespaces);
    Map<String, Known> left = new HashMap<>(known);
    left.keySet().retainAll(namespaces);
    known = left;
    return gone.values().stream().anyMatch(one -> !one.learned.isEmpty());
  }

  /** Puts constants in force that proved better, and out of force those that did not. */
  private void judge(String namespace, Instant now) {
    Map<String, List<ServingVersion>> versions = versions(namespace);
    for (Map.Entry<String, List<ServingStart>> of : countedStarts(namespace, versions).entrySet()) {
      LearnedServing learned = LearnedServing.joined(readable(of.getValue()));
      List<ServingVersion> own = versions.getOrDefault(of.getKey(), List.of());
      for (Release release : learned.releases()) {
        ServingCoefficients inForce = own.isEmpty() ? null : coefficients(own.getLast());
        ServingVersion next =
            inForce == null
                ? first(namespace, release, own, of.getValue(), now)
                : after(release, inForce, own.getLast(), of.getValue(), now);
        if (next != null) {
          store.add(next); // where it is not added, another replica did
        }
      }
    }
  }

  /** Without those in the format of another release of Cotenant. */
  private static List<LearnedServing> readable(List<ServingStart> starts) {
    List<LearnedServing> readable = new ArrayList<>();
    for (ServingStart start : starts) {
      start.learned().ifPresent(readable::add);
    }
    return readable;
  }

  /** Starts by release, without those before a roll-back by a person. */
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

  /**
   * Learned constants where the shipped ones are in force and predict worse; where learned ones
   * were taken out of force, on the starts after that alone.
   */
  private static @Nullable ServingVersion first(
      String namespace,
      Release release,
      List<ServingVersion> own,
      List<ServingStart> starts,
      Instant now) {
    ServingVersion last = own.isEmpty() ? null : own.getLast();
    int scored = release.scored();
    double learnedError = release.learnedError();
    double shippedError = release.shippedError();
    if (last != null && last.grounds() == Grounds.WORSE) {
      ServingCoefficients shipped = LearnedServing.NONE.coefficients(release.version());
      Trial trial = trial(release, shipped, last, starts);
      scored = trial.scored();
      learnedError = trial.learnedError();
      shippedError = trial.shippedError();
    }
    if (scored < MIN_SCORED || learnedError >= shippedError) {
      return null;
    }
    long number = last == null ? 1 : last.number() + 1;
    String errors =
        String.format(
            Locale.ROOT,
            "mean error over %d starts %.3f GiB, of the shipped constants %.3f GiB",
            scored,
            learnedError / MemorySize.GIB,
            shippedError / MemorySize.GIB);
    return better(namespace, release, number, now, errors);
  }

  /** What replaces constants in force that predict the starts after them worse; else null. */
  private static @Nullable ServingVersion after(
      Release release,
      ServingCoefficients inForce,
      ServingVersion last,
      List<ServingStart> starts,
      Instant now) {
    Trial trial = trial(release, inForce, last, starts);
    double best = Math.min(trial.shippedError(), trial.learnedError());
    if (trial.scored() < MIN_SCORED || trial.inForceError() <= best) {
      return null;
    }
    String errors =
        String.format(
            Locale.ROOT,
            "mean error over %d starts %.3f GiB, of the shipped constants %.3f GiB, learned again"
                + " %.3f GiB",
            trial.scored(),
            trial.inForceError() / MemorySize.GIB,
            trial.shippedError() / MemorySize.GIB,
            trial.learnedError() / MemorySize.GIB);
    long number = last.number() + 1;
    if (trial.learnedError() < trial.shippedError()
        && release.starts() - before(last, starts) >= Math.min(last.starts(), MAX_AWAITED)
        && !ServingConstants.of(release.learned()).write().equals(last.constants())) {
      return better(last.namespace(), release, number, now, errors);
    }
    return trial.shippedError() < trial.inForceError()
        ? new ServingVersion(
            last.namespace(),
            last.release(),
            number,
            now,
            AUTOMATIC,
            Grounds.WORSE,
            0L,
            release.starts(),
            null,
            errors)
        : null;
  }

  /** How constants predict the starts after a version. */
  private static Trial trial(
      Release release,
      ServingCoefficients inForce,
      ServingVersion last,
      List<ServingStart> starts) {
    return LearnedServing.joined(readable(starts))
        .trial(release.version(), inForce, before(last, starts));
  }

  /** Starts that were known when a version came in force. */
  private static int before(ServingVersion last, List<ServingStart> starts) {
    return readable(starts.stream().filter(start -> !start.at().isAfter(last.at())).toList())
        .size();
  }

  private static ServingVersion better(
      String namespace, Release release, long number, Instant now, String errors) {
    return new ServingVersion(
        namespace,
        release.version().toString(),
        number,
        now,
        AUTOMATIC,
        Grounds.BETTER,
        null,
        release.starts(),
        ServingConstants.of(release.learned()).write(),
        errors);
  }

  /** Coefficients of a version; null for the shipped ones, which also replace unreadable ones. */
  private static @Nullable ServingCoefficients coefficients(ServingVersion version) {
    if (version.constants() == null) {
      return null;
    }
    try {
      return ServingConstants.read(version.constants(), version.release())
          .coefficients(VllmVersion.of(version.release()));
    } catch (InputException e) {
      return null;
    }
  }

  private boolean load(String namespace, String state, Instant now) {
    Map<VllmVersion, ServingCoefficients> learned = new HashMap<>();
    versions(namespace)
        .forEach((release, versions) -> {
          ServingCoefficients inForce = coefficients(versions.getLast());
          if (inForce != null) {
            learned.put(VllmVersion.of(release), inForce);
          }
        });
    Known before = known.getOrDefault(namespace, NOTHING);
    Map<String, Known> all = new HashMap<>(known);
    all.put(namespace, new Known(state, now, Map.copyOf(learned)));
    known = all;
    return !constants(before).equals(constants(all.getOrDefault(namespace, NOTHING)));
  }

  private static Map<VllmVersion, ServingConstants> constants(Known known) {
    Map<VllmVersion, ServingConstants> constants = new HashMap<>();
    known.learned.forEach((version, own) -> constants.put(version, ServingConstants.of(own)));
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
   * Restores the previous constants; earlier starts no longer count.
   *
   * @param release of vLLM
   * @throws InputException ({@code bad-engine-version})
   * @throws ConflictException ({@code no-previous-version}, {@code promotion-conflict})
   */
  public synchronized ServingVersion rollBack(
      String namespace, String release, String by, String reason) {
    String text = VllmVersion.of(release).toString();
    List<ServingVersion> own = versions(namespace).getOrDefault(text, List.of());
    ServingVersion last = own.isEmpty() ? null : own.getLast();
    if (last == null || last.constants() == null) {
      throw new ConflictException(
          "no-previous-version",
          "The shipped constants are in force for vLLM " + text + ": there is no way back.");
    }
    long back = before(own);
    @Nullable String constants = null;
    for (ServingVersion one : own) {
      constants = one.number() == back ? one.constants() : constants;
    }
    ServingVersion version =
        new ServingVersion(
            namespace,
            text,
            last.number() + 1,
            clock.instant(),
            by,
            Grounds.ROLLBACK,
            back,
            0,
            constants,
            reason);
    if (!store.add(version)) {
      throw new ConflictException(
          "promotion-conflict",
          "The active constants changed concurrently; read GET /v1/constants and retry.");
    }
    load(namespace, "", clock.instant());
    return version;
  }

  /** Number of the version before the active one; 0 for the shipped constants. */
  private static long before(List<ServingVersion> own) {
    Deque<Long> numbers = new ArrayDeque<>(List.of(0L)); // the shipped ones
    for (ServingVersion version : own) {
      if (version.back() == null) {
        numbers.push(version.number());
      } else {
        while (numbers.element() > version.back()) {
          numbers.pop();
        }
        if (numbers.element() < version.back()) { // itself deleted
          numbers.push(version.back());
        }
      }
    }
    if (numbers.size() > 1) {
      numbers.pop();
    }
    return numbers.element();
  }
}

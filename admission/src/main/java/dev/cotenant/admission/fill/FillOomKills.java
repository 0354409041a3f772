package dev.cotenant.admission.fill;

import dev.cotenant.admission.policy.Filling;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.workload.Workload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What ran out of filled memory, by namespace. Bounded: of a namespace the newest {@link
 * #OF_NAMESPACE} kills count, of all the newest {@link #OF_ALL}. Thread safe.
 */
public final class FillOomKills {
  /** Maximum recorded kills per namespace: above every configurable budget. */
  public static final int OF_NAMESPACE = Filling.MAX_KILLS + 1;

  /** Most kills that are known. */
  public static final int OF_ALL = 100 * OF_NAMESPACE;

  /** For so long a kill counts against the budget of its namespace. */
  public static final Duration BUDGET_TIME = Duration.ofDays(7);

  /** For so long a kill keeps its workload from being filled, unless more was learned. */
  public static final Duration MEMORY = Duration.ofDays(30);

  private final InstantSource clock;
  private Map<String, FillOomKill> byUid = Map.of();
  private volatile Map<String, List<FillOomKill>> byNamespace = Map.of();

  /** Kills that others do not know yet. */
  private final List<FillOomKill> unshared = new ArrayList<>();

  public FillOomKills(InstantSource clock) {
    this.clock = clock;
  }

  /** Key of a workload within its namespace: 64 hexadecimal digits. */
  public static String key(Workload workload) {
    return Sha256.of(workload.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Counts a kill once; whether it was not known. */
  public synchronized boolean add(
      String uid, String namespace, String workload, MemorySize memory) {
    if (byUid.containsKey(uid)) {
      return false;
    }
    FillOomKill kill = new FillOomKill(uid, namespace, workload, memory, clock.instant());
    unshared.add(kill);
    if (unshared.size() > OF_ALL) {
      unshared.removeFirst();
    }
    learn(List.of(kill));
    return true;
  }

  /** Kills that this process saw and that are not shared, the newest {@link #OF_ALL}. */
  public synchronized List<FillOomKill> unshared() {
    return List.copyOf(unshared);
  }

  /** These are shared. */
  public synchronized void shared(Collection<FillOomKill> kills) {
    unshared.removeAll(kills);
  }

  /** Takes kills that others saw. */
  public synchronized void learn(Collection<FillOomKill> others) {
    Instant oldest = clock.instant().minus(MEMORY);
    Map<String, FillOomKill> all = new LinkedHashMap<>(byUid);
    others.forEach(kill -> all.putIfAbsent(kill.uid(), kill));
    Map<String, FillOomKill> uids = new HashMap<>();
    Map<String, List<FillOomKill>> namespaces = new HashMap<>();
    all.values().stream()
        .filter(kill -> kill.at().isAfter(oldest))
        .sorted(Comparator.comparing(FillOomKill::at).reversed())
        .limit(OF_ALL)
        .forEach(kill -> {
          List<FillOomKill> own =
              namespaces.computeIfAbsent(kill.namespace(), _ -> new ArrayList<>());
          if (own.size() < OF_NAMESPACE) {
            own.add(kill);
            uids.put(kill.uid(), kill);
          }
        });
    byUid = uids;
    namespaces.replaceAll((_, kills) -> List.copyOf(kills));
    byNamespace = Map.copyOf(namespaces);
  }

  /** Kills in a namespace that count against its budget. */
  public int ofWeek(String namespace) {
    List<FillOomKill> kills = byNamespace.getOrDefault(namespace, List.of());
    if (kills.isEmpty()) {
      return 0;
    }
    Instant since = clock.instant().minus(BUDGET_TIME);
    return (int) kills.stream().filter(kill -> kill.at().isAfter(since)).count();
  }

  /** Whether any workload of a namespace was killed. */
  public boolean hasAny(String namespace) {
    return byNamespace.containsKey(namespace);
  }

  /** The most memory with which a workload of a namespace was killed; empty where it was not. */
  public Optional<MemorySize> tooLittle(String namespace, String workload) {
    Instant since = clock.instant().minus(MEMORY);
    return byNamespace.getOrDefault(namespace, List.of()).stream()
        .filter(kill -> kill.workload().equals(workload) && kill.at().isAfter(since))
        .map(FillOomKill::memory)
        .max(MemorySize::compareTo);
  }
}

package dev.cotenant.engine.lifetime;

import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifetime.LifetimeStore.Lifetime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How long workloads stay, from the stored stays of their pods: the longest of the newest, once
 * there are two. A shorter estimate would give memory away that a long run needs. While the store
 * is down the last ones stay. Thread safe.
 */
public final class PodLifetimes {
  private static final int MIN = 2;
  private static final Known NOTHING = new Known(Long.MIN_VALUE, Map.of());

  private final LifetimeStore store;
  private volatile Known known = NOTHING;

  private record Key(String namespace, String workload) {}

  private record Known(long state, Map<Key, Duration> longest) {}

  /** Knows nothing until it is refreshed. */
  public PodLifetimes(LifetimeStore store) {
    this.store = store;
  }

  /**
   * Reads the stored stays again where they changed.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    long state = store.state();
    if (state == known.state) {
      return;
    }
    Map<Key, List<Duration>> lengths = new HashMap<>();
    for (Lifetime stay : store.all()) {
      lengths
          .computeIfAbsent(new Key(stay.namespace(), stay.workload()), _ -> new ArrayList<>())
          .add(stay.length());
    }
    Map<Key, Duration> longest = new HashMap<>();
    lengths.forEach((key, all) -> {
      if (all.size() >= MIN) {
        longest.put(key, all.stream().max(Duration::compareTo).orElseThrow());
      }
    });
    known = new Known(state, longest);
  }

  /** How long a workload of a namespace stays; empty where fewer than two runs of it are known. */
  Optional<Duration> of(String namespace, Workload workload) {
    Known now = known;
    return now.longest.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(now.longest.get(new Key(namespace, key(workload))));
  }

  /**
   * The key of a workload: model, batch and settings, without the load, which is that of a run.
   *
   * @return 64 hexadecimal digits
   */
  public static String key(Workload workload) {
    RunSettings settings = workload.settings();
    String text =
        String.join(
            "\n",
            workload.model(),
            String.valueOf(workload.batchSize()),
            settings.mode().toString(),
            settings.precision().toString(),
            settings.framework().toString(),
            settings.recipe().optimizer().toString(),
            settings.recipe().checkpointing().toString());
    return Sha256.of(text.getBytes(StandardCharsets.UTF_8));
  }
}

package dev.cotenant.admission.kubernetes.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.BoundVolume;
import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.ClusterPod;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.kubernetes.read.DeviceReader;
import dev.cotenant.admission.kubernetes.read.NodeReader;
import dev.cotenant.admission.kubernetes.read.PodReader;
import dev.cotenant.admission.kubernetes.read.VolumeReader;
import dev.cotenant.admission.kubernetes.state.StateSource;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Watches during one leader's term. The feed's term begins when pods, nodes and namespaces are
 * listed and the state of earlier leaders is claimed; every later difference follows in the order
 * of the server. Volumes and devices of dynamic resource allocation are optional: a term begins
 * without them where they cannot be listed.
 */
public final class TermWatch implements AutoCloseable {
  /** A claim makes dozens of calls in sequence: documents, and pods that may be gone. */
  private static final Duration CLAIM_AT_MOST = Duration.ofMinutes(5);

  private static final ObjectKind<BoundVolume> VOLUMES =
      new ObjectKind<>(
          "persistentvolumes",
          "/api/v1/persistentvolumes",
          "",
          ObjectKind::name,
          VolumeReader::volume);

  private static final ObjectKind<BoundClaim> CLAIMS =
      new ObjectKind<>(
          "persistentvolumeclaims",
          "/api/v1/persistentvolumeclaims",
          "",
          VolumeReader::key,
          VolumeReader::claim);

  private static final String DEVICES = "/apis/resource.k8s.io/v1/";

  private static final ObjectKind<ClaimedDevices> DEVICE_CLAIMS =
      new ObjectKind<>(
          "resourceclaims", DEVICES + "resourceclaims", "", VolumeReader::key, DeviceReader::claim);

  private static final ObjectKind<PublishedDevices> SLICES =
      new ObjectKind<>(
          "resourceslices", DEVICES + "resourceslices", "", ObjectKind::name, DeviceReader::slice);

  private final Object lock = new Object();
  private final long term;
  private final GateFeed feed;
  private final OptedInNamespaces optedIn;
  private final StateSource persisted;
  private final Sources sources;
  private @Nullable Loop claimer;
  private final KnownObjects<WatchedPod> pods;
  private final KnownObjects<PlainPod> plainPods;
  private final KnownObjects<WatchedNode> nodes;
  private final KnownObjects<BoundVolume> volumes;
  private final KnownObjects<BoundClaim> claims;
  private final KnownObjects<ClaimedDevices> deviceClaims;
  private final KnownObjects<PublishedDevices> slices;
  private final KnownObjects<String> namespaces;
  private final Set<String> names = new HashSet<>();
  private final List<ListWatch<?>> watches;
  private @Nullable PersistedState claimed;
  private boolean begun;
  private boolean ended;

  /**
   * @param term its number
   * @param feed receives the events
   * @param sources the dependencies
   */
  TermWatch(long term, GateFeed feed, Sources sources) {
    this.term = term;
    this.feed = feed;
    this.sources = sources;
    optedIn = sources.beside().optedIn();
    persisted = sources.beside().persisted();
    pods = new KnownObjects<>(pod -> feed.podSeen(term, pod), uid -> feed.podGone(term, uid));
    plainPods = others(ClusterChange.PodSeen::new, ClusterChange.PodGone::new);
    volumes = others(ClusterChange.VolumeSeen::new, ClusterChange.VolumeGone::new);
    claims = others(ClusterChange.ClaimSeen::new, ClusterChange.ClaimGone::new);
    deviceClaims = others(ClusterChange.DevicesClaimed::new, ClusterChange.DevicesReleased::new);
    slices = others(ClusterChange.DevicesPublished::new, ClusterChange.DevicesWithdrawn::new);
    nodes =
        new KnownObjects<>(node -> feed.nodeSeen(term, node), name -> feed.nodeGone(term, name));
    namespaces = new KnownObjects<>(this::optIn, this::optOut);
    watches =
        List.of(
            watch(sources, podKind(), new PodSink(pods, plainPods), sources.health().pods()),
            watch(sources, nodeKind(), nodes, sources.health().nodes()),
            watch(sources, namespaceKind(), namespaces, sources.health().namespaces()),
            watch(sources, VOLUMES, volumes, sources.health().volumes()),
            watch(sources, CLAIMS, claims, sources.health().claims()),
            watch(sources, DEVICE_CLAIMS, deviceClaims, sources.health().deviceClaims()),
            watch(sources, SLICES, slices, sources.health().slices()));
  }

  private <T> KnownObjects<T> others(
      Function<T, ClusterChange> seen, Function<String, ClusterChange> gone) {
    return new KnownObjects<>(
        object -> feed.changed(term, seen.apply(object)),
        key -> feed.changed(term, gone.apply(key)));
  }

  /** The dependencies of a term's watches. */
  public record Sources(ListWatch.Means means, ClusterWatch.Beside beside, Healths health) {}

  /** The health of each watch. */
  public record Healths(
      WatchHealth pods,
      WatchHealth nodes,
      WatchHealth namespaces,
      WatchHealth volumes,
      WatchHealth claims,
      WatchHealth deviceClaims,
      WatchHealth slices,
      WatchHealth state) {
    /**
     * New ones.
     *
     * @param warnings one line each
     */
    public static Healths of(Consumer<String> warnings) {
      return new Healths(
          new WatchHealth("pods", warnings),
          new WatchHealth("nodes", warnings),
          new WatchHealth("namespaces", warnings),
          new WatchHealth(VOLUMES.name(), warnings),
          new WatchHealth(CLAIMS.name(), warnings),
          new WatchHealth(DEVICE_CLAIMS.name(), warnings),
          new WatchHealth(SLICES.name(), warnings),
          new WatchHealth("leader state", warnings));
    }

    List<WatchHealth> all() {
      return List.of(pods, nodes, namespaces, volumes, claims, deviceClaims, slices);
    }

    /** Without these no term begins. */
    List<WatchHealth> required() {
      return List.of(pods, nodes, namespaces);
    }
  }

  static ObjectKind<ClusterPod> podKind() {
    return new ObjectKind<>("pods", "/api/v1/pods", "", ObjectKind::uid, new PodReader()::any);
  }

  static ObjectKind<WatchedNode> nodeKind() {
    return kind("nodes", "", new NodeReader()::read);
  }

  static ObjectKind<String> namespaceKind() {
    return kind("namespaces", OptedInNamespaces.SELECTOR, ObjectKind::name);
  }

  private static <T> ObjectKind<T> kind(
      String name, String selector, Function<JsonNode, T> reader) {
    return new ObjectKind<>(
        name,
        "/api/v1/" + name,
        selector,
        ObjectKind::name,
        object -> Optional.of(reader.apply(object)));
  }

  private <T> ListWatch<T> watch(
      Sources sources, ObjectKind<T> kind, ObjectSink<T> known, WatchHealth health) {
    return new ListWatch<>(sources.means(), kind, new Locked<>(known), health);
  }

  /** Passes events on, one at a time, until the term has ended. */
  private final class Locked<T> implements ObjectSink<T> {
    private final ObjectSink<T> known;

    Locked(ObjectSink<T> known) {
      this.known = known;
    }

    @Override
    public void listed(Map<String, T> all, Set<String> unreadable) {
      locked(() -> known.listed(all, unreadable));
    }

    @Override
    public void changed(String key, T object) {
      locked(() -> known.changed(key, object));
    }

    @Override
    public void removed(String key) {
      locked(() -> known.removed(key));
    }

    @Override
    public void failing() {
      locked(() -> {});
    }

    private void locked(Runnable event) {
      synchronized (lock) {
        if (!ended) {
          event.run();
          beginOnceComplete();
        }
      }
    }
  }

  private void beginOnceComplete() {
    PersistedState left = claimed;
    if (!begun
        && left != null
        && pods.isComplete()
        && nodes.isComplete()
        && namespaces.isComplete()
        && isListed(volumes, sources.health().volumes())
        && isListed(claims, sources.health().claims())
        && isListed(deviceClaims, sources.health().deviceClaims())
        && isListed(slices, sources.health().slices())) {
      names.addAll(namespaces.all());
      optedIn.set(names);
      feed.begin(term, new GateFeed.Listed(pods.all(), nodes.all(), others()), left);
      begun = true;
    }
  }

  /** Whether a kind is listed, or cannot be. */
  private static boolean isListed(KnownObjects<?> known, WatchHealth health) {
    return known.isComplete() || health.isFailing();
  }

  private Collection<ClusterChange> others() {
    List<ClusterChange> all = new ArrayList<>();
    plainPods.all().forEach(pod -> all.add(new ClusterChange.PodSeen(pod)));
    volumes.all().forEach(volume -> all.add(new ClusterChange.VolumeSeen(volume)));
    claims.all().forEach(claim -> all.add(new ClusterChange.ClaimSeen(claim)));
    slices.all().forEach(slice -> all.add(new ClusterChange.DevicesPublished(slice)));
    deviceClaims.all().forEach(claim -> all.add(new ClusterChange.DevicesClaimed(claim)));
    return all;
  }

  /**
   * Claims the state of earlier leaders, with retries. A repeated claim of one term changes
   * nothing, so a restart is safe.
   */
  private void claim(Heartbeat heart) throws InterruptedException {
    try {
      PersistedState left = persisted.claim(term);
      sources.health().state().listed();
      synchronized (lock) {
        claimed = left;
        if (!ended) {
          beginOnceComplete();
        }
      }
      heart.finish();
    } catch (NotClaimedException e) {
      sources.health().state().failed(String.valueOf(e.getMessage()));
      heart.rest(sources.means().timing().pause());
    } catch (RuntimeException defect) {
      // A defect must not prevent the term: pods would stay gated forever.
      sources.health().state().failed(String.valueOf(defect));
      heart.rest(sources.means().timing().pause());
    }
  }

  private void optIn(String namespace) {
    names.add(namespace);
    optedIn.set(names);
    feed.policiesChanged();
  }

  private void optOut(String namespace) {
    names.remove(namespace);
    optedIn.set(names);
    feed.policiesChanged();
  }

  void start() {
    claimer =
        sources
            .means()
            .supervisor()
            .start(LoopPlan.restarted("state-claim", CLAIM_AT_MOST), this::claim);
    watches.forEach(ListWatch::start);
  }

  /** Whether everything is listed and the feed's term has begun. */
  boolean hasBegun() {
    synchronized (lock) {
      return begun && !ended;
    }
  }

  /** Ends the feed's term first, then the watches. */
  @Override
  public void close() {
    synchronized (lock) {
      ended = true;
      feed.end(term);
    }
    if (claimer != null) {
      claimer.close();
    }
    persisted.close();
    watches.forEach(ListWatch::close);
  }
}

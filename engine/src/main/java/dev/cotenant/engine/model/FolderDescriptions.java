package dev.cotenant.engine.model;

import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.llm.source.UrlReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Language models in folders of this machine and below allowed URLs, by what containers call them.
 *
 * <p>Answers come from memory; missing descriptions are queued, and {@link #readNext} and {@link
 * #readNextUrl} read them on separate threads, so that a slow host does not delay folders. Thread
 * safe. Descriptions, names and the queue are bounded, in all and for each namespace, so that no
 * namespace evicts all others.
 */
public final class FolderDescriptions {
  private static final int MAX_REFERENCE = 512;
  private static final Duration FRESH = Duration.ofMinutes(10);
  private static final Duration RETRY = Duration.ofSeconds(30);

  /** Of a description whose host fails for now; a host is repaired within a day. */
  private static final Duration KEPT = Duration.ofHours(24);

  /** Of a question whose model is not read: a folder may hang. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Pattern PATH = Pattern.compile("[A-Za-z0-9._/-]+");
  private static final Pattern REPOSITORY =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}");

  private final Folders folders;
  private final UrlReader urls;
  private final UrlModels models;
  private final Bounds bounds;
  private final InstantSource clock;
  private final RememberedDescriptions entries;

  /** What waits, or is being read, and since when. */
  private final Map<RememberedDescriptions.Key, Instant> queue = new LinkedHashMap<>();

  /**
   * Where models lie.
   *
   * @param hub a cache of Hugging Face, or a folder of ORGANISATION/NAME; null for none
   * @param paths folders of this machine by the paths of containers where they are mounted
   */
  public record Folders(@Nullable Path hub, Map<String, Path> paths) {
    /** None. */
    public static final Folders NONE = new Folders(null, Map.of());

    public Folders {
      paths = Map.copyOf(paths);
    }

    /** Where a model lies; null where these folders have no place for it. */
    @Nullable Path locate(String reference) {
      return reference.startsWith("/") ? mounted(reference) : inHub(reference);
    }

    private @Nullable Path inHub(String reference) {
      Path root = hub;
      if (root == null || !REPOSITORY.matcher(reference).matches() || reference.contains("..")) {
        return null;
      }
      Path cached = root.resolve("models--" + reference.replace("/", "--"));
      return cached.toFile().isDirectory() ? cached : root.resolve(reference);
    }

    private @Nullable Path mounted(String path) {
      String best = "";
      for (String mount : paths.keySet()) {
        boolean inside = path.equals(mount) || path.startsWith(mount + "/");
        if (inside && mount.length() > best.length()) {
          best = mount;
        }
      }
      Path root = paths.get(best);
      if (root == null) {
        return null;
      }
      Path here = root.resolve(path.substring(best.length()).replaceFirst("^/+", "")).normalize();
      return here.startsWith(root.normalize()) ? here : null;
    }

    private boolean mayHold(String reference) {
      return reference.startsWith("/")
          ? PATH.matcher(reference).matches() && mounted(reference) != null
          : hub != null && REPOSITORY.matcher(reference).matches() && !reference.contains("..");
    }
  }

  /**
   * Of what is remembered.
   *
   * @param entries descriptions and failures
   * @param ofNamespace those of one namespace; half as many may wait to be read
   * @param bytes estimated
   */
  public record Bounds(int entries, int ofNamespace, long bytes) {
    /** 4,096 in all, 256 of a namespace, 16 MiB. */
    public static final Bounds DEFAULT = new Bounds(4_096, 256, 16 << 20);
  }

  /** Without URLs. */
  public FolderDescriptions(Folders folders, Bounds bounds, InstantSource clock) {
    this(folders, UrlReader.of(AllowedUrls.NONE), bounds, clock);
  }

  public FolderDescriptions(Folders folders, UrlReader urls, Bounds bounds, InstantSource clock) {
    this(folders, urls, new UrlModels(urls::read, clock, RETRY), bounds, clock);
  }

  FolderDescriptions(
      Folders folders, UrlReader urls, UrlModels models, Bounds bounds, InstantSource clock) {
    this.folders = folders;
    this.urls = urls;
    this.models = models;
    this.bounds = bounds;
    this.clock = clock;
    this.entries = new RememberedDescriptions(bounds);
  }

  /** Whether a model folder is configured. */
  public boolean isConfigured() {
    return !folders.equals(Folders.NONE);
  }

  /** Whether model URLs are configured. */
  public boolean readsUrls() {
    return !urls.allowed().equals(AllowedUrls.NONE);
  }

  /** Description of a model, without I/O; missing if it is not read within a minute. */
  public synchronized Described find(String namespace, String reference) {
    if (AllowedUrls.isUrl(reference)) {
      if (!urls.mayRead(reference)) {
        return new Described.Missing("it is neither registered nor below an allowed URL of models");
      }
    } else if (reference.length() > MAX_REFERENCE || !folders.mayHold(reference)) {
      return new Described.Missing(
          folders.equals(Folders.NONE)
              ? "it is not registered"
              : "it is neither registered nor below a configured folder of models");
    }
    RememberedDescriptions.Key key = new RememberedDescriptions.Key(namespace, reference);
    RememberedDescriptions.Entry entry = entries.get(key);
    if (entry == null) {
      enqueue(key);
      return isLate(key)
          ? new Described.Missing(
              "it could not be read within " + PATIENCE.toSeconds() + " s: do its files answer?")
          : new Described.BeingRead();
    }
    if (entry.askAgain().isBefore(clock.instant())) {
      enqueue(key);
    }
    return entry.described();
  }

  /** Where the queue has no place for it, what has waited longest decides. */
  private boolean isLate(RememberedDescriptions.Key key) {
    Instant since = queue.get(key);
    return (since == null ? queue.values().iterator().next() : since)
        .plus(PATIENCE)
        .isBefore(clock.instant());
  }

  private void enqueue(RememberedDescriptions.Key key) {
    long own =
        queue.keySet().stream().filter(other -> other.namespace().equals(key.namespace())).count();
    if (own < Math.max(1, bounds.ofNamespace() / 2) && queue.size() < bounds.entries()) {
      queue.putIfAbsent(key, clock.instant()); // else a later question queues it
      notifyAll();
    }
  }

  /**
   * Reads the folder that has waited longest.
   *
   * @param most time to wait for something to read
   * @return whether the answer to a question has changed
   */
  public boolean readNext(Duration most) throws InterruptedException {
    RememberedDescriptions.Key key = next(most, reference -> !AllowedUrls.isUrl(reference));
    return key != null && read(key);
  }

  /** Reads the URL that has waited longest, as {@link #readNext} does folders. */
  public boolean readNextUrl(Duration most) throws InterruptedException {
    RememberedDescriptions.Key key = next(most, AllowedUrls::isUrl);
    return key != null && read(key);
  }

  private boolean read(RememberedDescriptions.Key key) {
    String reference = key.reference();
    UrlModels.Attempt attempt;
    try {
      attempt =
          AllowedUrls.isUrl(reference)
              ? models.read(reference)
              : new UrlModels.Attempt(readFolder(reference), false);
    } finally {
      synchronized (this) {
        queue.remove(key);
      }
    }
    synchronized (this) {
      RememberedDescriptions.Entry before = entries.remove(key);
      RememberedDescriptions.Entry after = after(before, attempt);
      entries.put(key, after);
      return before == null || !before.described().equals(after.described());
    }
  }

  /** A known description stays for a while during temporary failures of its host. */
  private RememberedDescriptions.Entry after(
      RememberedDescriptions.@Nullable Entry before, UrlModels.Attempt attempt) {
    Instant now = clock.instant();
    boolean hasFailed = attempt.described() instanceof Described.Missing;
    Instant askAgain = now.plus(hasFailed ? RETRY : FRESH);
    if (before != null
        && before.described() instanceof Described.Known
        && attempt.mayPass()
        && now.isBefore(before.readAt().plus(KEPT))) {
      return new RememberedDescriptions.Entry(before.described(), before.readAt(), askAgain);
    }
    return new RememberedDescriptions.Entry(attempt.described(), now, askAgain);
  }

  private synchronized RememberedDescriptions.@Nullable Key next(
      Duration most, Predicate<String> wanted) throws InterruptedException {
    long until = System.nanoTime() + most.toNanos();
    while (true) {
      for (RememberedDescriptions.Key key : queue.keySet()) {
        if (wanted.test(key.reference())) {
          return key;
        }
      }
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return null;
      }
      wait(left);
    }
  }

  private Described readFolder(String reference) {
    Path here = folders.locate(reference);
    if (here == null) {
      return new Described.Missing("it is not below a configured folder of models");
    }
    try {
      return new Described.Known(ModelReader.standard().read(here));
    } catch (RuntimeException e) { // of whatever kind: the folders of others are read all the same
      return new Described.Missing("it was looked for in " + here + ": " + UrlModels.why(e));
    }
  }

  /** Entries and estimated bytes, for gauges. */
  public synchronized long[] use() {
    return new long[] {entries.size(), entries.bytes()};
  }
}

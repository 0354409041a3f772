package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads a language model behind an allowed URL: a folder as Hugging Face lays it out, a {@code
 * config.json} or a GGUF file. Of files of weights it asks for their first 64 KiB and for the bytes
 * of longer headers.
 *
 * @param allowed addresses
 * @param limits what is refused
 * @param time of one model in all
 * @param bytes of its headers and documents in all
 * @param tls whom to trust; null for whom the JVM trusts
 */
public record UrlReader(
    AllowedUrls allowed, SourceLimits limits, Duration time, long bytes, @Nullable SSLContext tls) {
  /**
   * The code of what a server did not answer as asked; with an {@link IOException} as its cause
   * where there was no answer.
   */
  public static final String UNREADABLE = "model-url-unreadable";

  /** The code of what a server answered too slowly. */
  public static final String TOO_SLOW = "model-url-too-slow";

  private static final SourceLimits LIMITS =
      new SourceLimits(32 << 20, 16 << 20, 64 << 20, 1_000_000, 500, 32);

  /** Below one minute, the budget of a reading loop for one model. */
  private static final Duration TIME = Duration.ofSeconds(45);

  private static final long BYTES = 64 << 20;
  private static final Duration CONNECTING = Duration.ofSeconds(5);
  private static final int GGUF_CHUNK = 256 << 10;
  private static final String SINGLE = "model.safetensors";

  /** Within the default limits, trusting whom the JVM trusts. */
  public static UrlReader of(AllowedUrls allowed) {
    return new UrlReader(allowed, LIMITS, TIME, BYTES, null);
  }

  /** Whether a text is an address that may be read. */
  public boolean mayRead(String url) {
    try {
      allowed.require(url);
      return true;
    } catch (InputException _) {
      return false;
    }
  }

  /**
   * Reads a model.
   *
   * @throws InputException ({@code model-url-refused}, {@code model-url-unreadable}, {@code
   *     model-url-too-slow}, {@code model-not-found}) and as {@link ModelReader#read}
   */
  public LanguageModel read(String url) {
    URI address = allowed.require(url);
    try (HeaderRequests requests = new HeaderRequests(allowed, CONNECTING, bytes, tls)) {
      return within(requests, address);
    }
  }

  private LanguageModel within(HeaderRequests requests, URI address) {
    ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    Future<LanguageModel> reading = executor.submit(() -> read(requests, address));
    try {
      return reading.get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw InputException.malformed(
          TOO_SLOW,
          AllowedUrls.shown(address)
              + ": is not read: its server took more than "
              + time.toMillis()
              + " ms.");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InputException refused) {
        throw refused;
      }
      throw new IllegalStateException("reading " + AllowedUrls.shown(address), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw HeaderRequests.unreadable(address, "the reading was interrupted");
    } finally {
      executor.shutdownNow(); // a name that does not resolve may hold its thread for a while
    }
  }

  private LanguageModel read(HeaderRequests requests, URI address) throws InterruptedException {
    String path = address.getRawPath();
    if (path.endsWith(".gguf")) {
      return gguf(requests, address);
    }
    if (path.endsWith(".json")) {
      return config(requests, address, AllowedUrls.shown(address));
    }
    URI folder = path.endsWith("/") ? address : URI.create(address + "/");
    LanguageModel model =
        config(requests, folder.resolve(ModelReader.CONFIG), AllowedUrls.shown(address));
    List<String> warnings = new ArrayList<>(model.warnings());
    StoredWeights stored = stored(requests, folder, warnings);
    return model.withFiles(stored, null, warnings);
  }

  private LanguageModel config(HeaderRequests requests, URI file, String name)
      throws InterruptedException {
    byte[] content =
        requests
            .document(file, limits.documentBytes())
            .orElseThrow(() ->
                InputException.notFound(
                    "model-not-found",
                    AllowedUrls.shown(file) + " does not exist; name a model's folder."));
    return ConfigReader.read(Json.read(content, AllowedUrls.shown(file), limits), name);
  }

  private @Nullable StoredWeights stored(HeaderRequests requests, URI folder, List<String> warnings)
      throws InterruptedException {
    URI index = folder.resolve(ModelReader.INDEX);
    Optional<byte[]> document = requests.document(index, limits.documentBytes());
    String name = AllowedUrls.shown(index);
    Set<String> shards =
        document.isEmpty()
            ? Set.of(SINGLE)
            : ModelReader.shards(Json.read(document.get(), name, limits), name, limits);
    StoredWeights sum = StoredWeights.NONE;
    int missing = 0;
    for (String shard : shards) {
      Optional<StoredWeights> found = header(requests, folder.resolve(shard));
      missing += found.isPresent() ? 0 : 1;
      sum = found.map(sum::plus).orElse(sum);
      ModelReader.requireFew(sum, name, limits);
    }
    if (missing > 0) {
      warnings.add(ModelReader.missing(missing, shards.size()));
      return null;
    }
    return sum;
  }

  private Optional<StoredWeights> header(HeaderRequests requests, URI shard)
      throws InterruptedException {
    Optional<RemoteFile> file = RemoteFile.open(requests, shard);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    try (RemoteFile in = file.get()) {
      return Optional.of(SafetensorsHeader.read(in, in.size(), AllowedUrls.shown(shard), limits));
    } catch (IOException e) {
      throw interrupted(shard, e);
    }
  }

  /** Reads a GGUF header in chunks, since its length is unknown. */
  private LanguageModel gguf(HeaderRequests requests, URI address) throws InterruptedException {
    String name = AllowedUrls.shown(address);
    try (RemoteFile file =
            RemoteFile.open(requests, address)
                .orElseThrow(
                    () -> InputException.notFound("model-not-found", name + " does not exist."));
        BufferedInputStream in = new BufferedInputStream(file, GGUF_CHUNK)) {
      return GgufReader.read(in, file.size(), name, limits);
    } catch (IOException e) {
      throw interrupted(address, e);
    }
  }

  private static InputException interrupted(URI address, IOException e) {
    return HeaderRequests.unreadable(address, "the reading ended: " + e.getMessage());
  }
}

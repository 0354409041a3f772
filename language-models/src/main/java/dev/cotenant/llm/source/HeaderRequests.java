package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.source.AllowedUrls.Prefix;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Requests for reading one model: to allowed addresses only, without credentials, cookies and
 * proxies, within a byte budget. Who reads ends them in time.
 */
final class HeaderRequests implements AutoCloseable {
  private static final int OK = 200;
  private static final int PARTIAL = 206;
  private static final int NOT_FOUND = 404;
  private static final List<Integer> REDIRECTS = List.of(301, 302, 303, 307, 308);
  private static final int MAX_REDIRECTS = 3;
  private static final int MAX_PROBLEM = 160;
  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes (\\d{1,15})-(\\d{1,15})/(\\d{1,15})");

  private final AllowedUrls allowed;
  private final HttpClient http;
  private long left;

  HeaderRequests(AllowedUrls allowed, Duration connecting, long bytes, @Nullable SSLContext tls) {
    this.allowed = allowed;
    this.left = bytes;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(connecting);
    this.http = (tls == null ? builder : builder.sslContext(tls)).build();
  }

  /**
   * A whole document; empty where there is none.
   *
   * @throws InputException ({@code model-url-unreadable}, {@code model-url-refused}, {@code
   *     json-too-large})
   */
  Optional<byte[]> document(URI address, int most) throws InterruptedException {
    requireLeft(address, 0);
    int atMost = left(most);
    HttpResponse<byte[]> response = send(address, null, OK, atMost);
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    requireStatus(address, response, OK);
    left -= response.body().length;
    return Optional.of(response.body());
  }

  /** Bytes of a file, and the size of the whole file. */
  static final class Part {
    final byte[] bytes;
    final long size;

    private Part(byte[] bytes, long size) {
      this.bytes = bytes;
      this.size = size;
    }
  }

  /**
   * The bytes of a file from a position on, fewer than asked for only where it ends.
   *
   * @return empty where there is no such file
   * @throws InputException ({@code model-url-unreadable}, {@code model-url-refused})
   */
  Optional<Part> part(URI address, long from, int most) throws InterruptedException {
    requireLeft(address, most);
    long last = from + most - 1;
    HttpResponse<byte[]> response = send(address, "bytes=" + from + "-" + last, PARTIAL, most);
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    requireStatus(address, response, PARTIAL);
    byte[] bytes = response.body();
    left -= bytes.length;
    Matcher range =
        CONTENT_RANGE.matcher(response.headers().firstValue("Content-Range").orElse(""));
    if (!range.matches() || !states(range, from, last, bytes.length)) {
      throw unreadable(address, "its server answers with other bytes than asked for");
    }
    return Optional.of(new Part(bytes, Long.parseLong(range.group(3))));
  }

  private static boolean states(Matcher range, long from, long last, int length) {
    long size = Long.parseLong(range.group(3));
    return Long.parseLong(range.group(1)) == from
        && Long.parseLong(range.group(2)) == Math.min(last, size - 1)
        && length > 0
        && length == Math.min(last, size - 1) - from + 1;
  }

  /** Remaining byte budget, up to {@code most}. */
  int left(int most) {
    return (int) Math.min(most, left);
  }

  /**
   * Refuses what is not left of the bytes of one reading, before memory is allocated.
   *
   * @throws InputException ({@code header-too-large})
   */
  void requireLeft(URI address, long bytes) {
    if (left <= 0 || bytes > left) {
      throw InputException.tooLarge(
          "header-too-large",
          AllowedUrls.shown(address) + ": its headers are larger than a model's may be.");
    }
  }

  private HttpResponse<byte[]> send(URI address, @Nullable String range, int status, int most)
      throws InterruptedException {
    URI at = address;
    for (int hop = 0; hop <= MAX_REDIRECTS; hop++) {
      HttpResponse<byte[]> response = once(at, range, status, most);
      if (!REDIRECTS.contains(response.statusCode())) {
        return response;
      }
      at = allowed.redirected(at, response.headers().firstValue("Location").orElse(""));
    }
    throw unreadable(address, "it redirects more than " + MAX_REDIRECTS + " times");
  }

  private HttpResponse<byte[]> once(URI at, @Nullable String range, int status, int most)
      throws InterruptedException {
    try {
      requireAddress(at);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(at).header("Accept-Encoding", "identity");
      if (range != null) {
        request.header("Range", range);
      }
      return http.send(
          request.build(),
          info ->
              info.statusCode() == status
                  ? BodySubscribers.limiting(BodySubscribers.ofByteArray(), most)
                  : new Unread());
    } catch (UnknownHostException e) {
      throw unreached(at, "its host is unknown", e);
    } catch (ConnectException e) {
      throw unreached(at, "its host cannot be connected to", e);
    } catch (SSLException e) {
      throw unreached(at, "its server is not trusted: " + problem(e), e);
    } catch (IOException e) {
      throw unreached(at, "no answer within the limits: " + problem(e), e);
    }
  }

  /** A name may lead inward; its certificate is checked against the name in any case. */
  private void requireAddress(URI at) throws UnknownHostException {
    boolean mayBePrivate = allowed.prefixOf(at).map(Prefix::isInternal).orElse(false);
    for (InetAddress address : InetAddress.getAllByName(at.getHost())) {
      if (!mayBePrivate && !PublicAddresses.hold(address)) {
        throw AllowedUrls.refused(
            AllowedUrls.shown(at),
            "its host has a private address, and its prefix is not in the list for those"
                + " (--allow-private-url, cotenant.models.private-urls)");
      }
    }
  }

  private static void requireStatus(URI address, HttpResponse<byte[]> response, int status) {
    String encoding = response.headers().firstValue("Content-Encoding").orElse("identity");
    if (response.statusCode() != status) {
      throw unreadable(
          address,
          "its server answers with status " + response.statusCode() + " in place of " + status);
    }
    if (!encoding.equalsIgnoreCase("identity")) {
      throw unreadable(address, "its server compresses what it was not asked to");
    }
  }

  private static String problem(IOException e) {
    String text = PlainText.of(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    return text.substring(0, Math.min(MAX_PROBLEM, text.length()));
  }

  static InputException unreadable(URI address, String problem) {
    return InputException.malformed(UrlReader.UNREADABLE, message(address, problem));
  }

  /** What its cause says is about the network, not about a model. */
  private static InputException unreached(URI address, String problem, IOException cause) {
    return new InputException(
        InputException.Kind.MALFORMED, UrlReader.UNREADABLE, message(address, problem), cause);
  }

  private static String message(URI address, String problem) {
    return AllowedUrls.shown(address) + ": cannot be read: " + problem + ".";
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /** Discards the body by closing its connection. */
  private static final class Unread implements BodySubscriber<byte[]> {
    @Override
    public CompletionStage<byte[]> getBody() {
      return CompletableFuture.completedStage(new byte[0]);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> item) {}

    @Override
    public void onError(Throwable throwable) {}

    @Override
    public void onComplete() {}
  }
}

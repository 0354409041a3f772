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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one reading of a model: below the allowed addresses alone, without credentials,
 * cookies and proxies, and no more than so many bytes in all. Who reads ends them in time.
 */
final class HeaderRequests implements AutoCloseable {
  private static final String CODE = "model-url-unreadable";
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
    int atMost = (int) Math.min(most, left);
    HttpResponse<byte[]> response = send(address, null, OK, atMost);
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    requireStatus(address, response, OK);
    left -= response.body().length;
    return Optional.of(response.body());
  }

  /**
   * Fills an array with the bytes of a file from a position on.
   *
   * @return the bytes of the whole file; empty where there is no such file
   * @throws InputException ({@code model-url-unreadable}, {@code model-url-refused})
   */
  OptionalLong part(URI address, long from, byte[] into) throws InterruptedException {
    requireLeft(address, into.length);
    long last = from + into.length - 1;
    HttpResponse<byte[]> response =
        send(address, "bytes=" + from + "-" + last, PARTIAL, into.length);
    if (response.statusCode() == NOT_FOUND) {
      return OptionalLong.empty();
    }
    requireStatus(address, response, PARTIAL);
    left -= into.length;
    Matcher range =
        CONTENT_RANGE.matcher(response.headers().firstValue("Content-Range").orElse(""));
    if (!range.matches()
        || Long.parseLong(range.group(1)) != from
        || Long.parseLong(range.group(2)) != last
        || Long.parseLong(range.group(3)) <= last
        || response.body().length != into.length) {
      throw unreadable(address, "its server answers with other bytes than asked for");
    }
    System.arraycopy(response.body(), 0, into, 0, into.length);
    return OptionalLong.of(Long.parseLong(range.group(3)));
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
      throw unreadable(at, "its host is unknown");
    } catch (ConnectException e) {
      throw unreadable(at, "its host cannot be connected to");
    } catch (SSLException e) {
      throw unreadable(at, "its server is not trusted: " + problem(e));
    } catch (IOException e) {
      throw unreadable(at, "no answer within the limits: " + problem(e));
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
    return InputException.malformed(
        CODE, AllowedUrls.shown(address) + ": cannot be read: " + problem + ".");
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /** A body of which nothing is wanted: its connection is closed. */
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

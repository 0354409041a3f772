package dev.cotenant.cli.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import nl.altindag.ssl.util.SSLContextUtils;
import nl.altindag.ssl.util.TrustManagerUtils;
import org.jspecify.annotations.Nullable;

/** A running service; failures become one line with the remedy. */
final class RemoteService {
  private static final String BINARY = "application/octet-stream";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Covers the transfer, and a trial run of a regressor on each device. */
  private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(2);

  private static final int MAX_CERTIFICATE_BYTES = 1 << 20;
  private static final ObjectReader JSON = JsonMapper.builder().build().readerFor(JsonNode.class);
  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int UNAUTHORIZED = 401;

  private final URI base;
  private final @Nullable String token;
  private final HttpClient.Builder client;

  private RemoteService(URI base, @Nullable String token, HttpClient.Builder client) {
    this.base = base;
    this.token = token;
    this.client = client;
  }

  /**
   * The service at an address.
   *
   * @param authority who signed its certificate; null trusts whom Java trusts
   */
  static RemoteService at(URI base, @Nullable String token, @Nullable Path authority) {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(TIMEOUT);
    return new RemoteService(
        base, token, authority == null ? client : client.sslContext(trusting(authority)));
  }

  /** What a file holds, and how it is read. */
  record TypedFile(BodyPublisher content, String contentType) {
    static TypedFile json(byte[] bytes) {
      return new TypedFile(BodyPublishers.ofByteArray(bytes), "application/json");
    }

    static TypedFile binary(byte[] bytes) {
      return new TypedFile(BodyPublishers.ofByteArray(bytes), BINARY);
    }
  }

  /**
   * Reads a document.
   *
   * @param path of it, escaped
   * @param key a property that identifies a response of the service
   * @throws InputException for any other response
   */
  JsonNode get(String path, String key) throws InterruptedException {
    return answer(request(path, TIMEOUT), key);
  }

  /**
   * Reads sentences and tables.
   *
   * @param path of a document, escaped
   * @param width of tables, in characters
   * @return lines that end in line feeds
   * @throws InputException for any other response
   */
  String text(String path, int width) throws InterruptedException {
    String query =
        (path.contains("?") ? "&" : "?")
            + "output=text"
            + (width == Integer.MAX_VALUE ? "" : "&columns=" + width);
    HttpResponse<String> response = send(request(path + query, TIMEOUT).build());
    if (response.statusCode() != OK) {
      throw refused(response, parse(response.body()));
    }
    if (!response.headers().firstValue("Content-Type").orElse("").startsWith("text/plain")) {
      throw notOurs("no Cotenant response");
    }
    return response.body();
  }

  /**
   * Sends a file.
   *
   * @param path that takes it
   * @param key a property that identifies a response of the service
   * @throws InputException for any other response
   */
  JsonNode post(String path, byte[] file, String key) throws InterruptedException {
    return post(path, file, BINARY, key);
  }

  /** As {@link #post(String, byte[], String)}, of another type. */
  JsonNode post(String path, byte[] file, String contentType, String key)
      throws InterruptedException {
    return answer(
        request(path, UPLOAD_TIMEOUT)
            .header("Content-Type", contentType)
            .POST(BodyPublishers.ofByteArray(file)),
        key);
  }

  /**
   * Sends a JSON document to an operation.
   *
   * @param path of it, escaped
   * @param key a property that identifies a response of the service
   * @throws InputException for any other response
   */
  JsonNode post(String path, String document, String key) throws InterruptedException {
    return answer(
        request(path, UPLOAD_TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(document)),
        key);
  }

  /** A name as a part of a path. */
  static String escaped(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Registers a file under a name.
   *
   * @param path that takes it, escaped
   * @param file of it, and its type
   * @param replaced tag of the object that it replaces; null for a new one
   * @param key a property that identifies a response of the service
   * @throws InputException for any other response
   */
  JsonNode put(String path, TypedFile file, @Nullable String replaced, String key)
      throws InterruptedException {
    HttpRequest.Builder request =
        request(path, UPLOAD_TIMEOUT).header("Content-Type", file.contentType).PUT(file.content);
    return answer(replaced == null ? request : request.header("If-Match", replaced), key);
  }

  /**
   * Deletes an object.
   *
   * @param path of it, escaped
   * @param key a property that identifies a response of the service
   * @throws InputException for whatever is no answer
   */
  JsonNode delete(String path, String key) throws InterruptedException {
    return answer(request(path, TIMEOUT).DELETE(), key);
  }

  private HttpRequest.Builder request(String path, Duration timeout) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(timeout)
            .header("Accept", "application/json, text/plain");
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private JsonNode answer(HttpRequest.Builder request, String key) throws InterruptedException {
    HttpResponse<String> response = send(request.build());
    JsonNode body = parse(response.body());
    if (response.statusCode() != OK && response.statusCode() != ACCEPTED) {
      throw refused(response, body);
    }
    if (!body.has(key)) {
      throw notOurs("no Cotenant response");
    }
    return body;
  }

  private HttpResponse<String> send(HttpRequest request) throws InterruptedException {
    try (HttpClient http = client.build()) {
      return http.send(request, BodyHandlers.ofString());
    } catch (ConnectException e) {
      throw silent("nothing listens there", e);
    } catch (HttpTimeoutException e) {
      throw silent("no answer within " + TIMEOUT.toSeconds() + " s", e);
    } catch (SSLException e) {
      throw failed(
          base + ": " + e.getMessage() + "; name who signed its certificate with --ca-file.", e);
    } catch (IOException e) {
      throw silent(Objects.requireNonNullElse(e.getMessage(), e.toString()), e);
    }
  }

  private InputException silent(String why, IOException e) {
    return failed(
        base
            + " does not answer ("
            + why
            + "): './cotenant serve' starts a service, --url names another, and 'kubectl cotenant'"
            + " asks that of a cluster.",
        e);
  }

  private static InputException failed(String message, IOException cause) {
    return new InputException(InputException.Kind.NOT_FOUND, "no-service", message, cause);
  }

  private static InputException failed(String message) {
    return InputException.notFound("no-service", message);
  }

  private InputException refused(HttpResponse<String> response, JsonNode problem) {
    String detail = problem.path("detail").asText(problem.path("message").asText(""));
    if (response.statusCode() == UNAUTHORIZED) {
      return failed(
          base
              + (token == null
                  ? " requires a token: give one with --token-file; 'kubectl create token ACCOUNT"
                      + " --audience cotenant' creates one."
                  : " does not accept this token: it is for another service, or expired."));
    }
    if (detail.isEmpty()) {
      return notOurs("status " + response.statusCode() + " without a word");
    }
    String retry =
        response
            .headers()
            .firstValue("Retry-After")
            .map(seconds -> " Try again in " + seconds + " s.")
            .orElse("");
    return failed(base + ": " + detail + retry);
  }

  private InputException notOurs(String what) {
    return failed(base + " answered " + what + ": is --url that of a Cotenant service?");
  }

  private static JsonNode parse(String body) {
    try {
      JsonNode read = JSON.readTree(body);
      return read == null ? MissingNode.getInstance() : read;
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance(); // such as the page of some other server
    }
  }

  private static SSLContext trusting(Path authority) {
    byte[] pem = InputFiles.read(authority, "a certificate", MAX_CERTIFICATE_BYTES);
    try {
      List<X509Certificate> trusted =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      return SSLContextUtils.createSslContext(
          List.of(), List.of(TrustManagerUtils.createTrustManager(trusted)));
    } catch (CertificateException | IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "bad-certificate",
          authority + ": holds no certificate in PEM form.",
          e);
    }
  }
}

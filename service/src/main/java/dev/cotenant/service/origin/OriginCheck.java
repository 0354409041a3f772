package dev.cotenant.service.origin;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether a request may go on, by what its head says of where it comes from. Browsers send requests
 * for any web page, with the rights of the machine that they run on; scripts such as curl name no
 * page and pass.
 */
public final class OriginCheck {
  private static final String SEC_FETCH_SITE = "Sec-Fetch-Site";

  /** {@code none}: the user typed the address. A {@code same-site} page may be on another port. */
  private static final Set<String> OWN_PAGES = Set.of("same-origin", "none");

  private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final Set<HttpMethod> WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  /** Pages that others may link to: they change nothing and are not REST. */
  private static final Set<String> PAGES = Set.of("/", "/index.html", "/favicon.ico");

  private static final String FRAMEWORK = "/q/";

  /** One type with its parameters [RFC 9110, 8.3.1], not a list and no wildcard. */
  private static final Pattern MEDIA_TYPE = Pattern.compile("[\\w.+-]+/[\\w.+-]+\\s*(;[^,]*)?");

  private static final String BEARER = "Bearer ";

  private final AllowedHosts hosts;

  public OriginCheck(AllowedHosts hosts) {
    this.hosts = hosts;
  }

  /**
   * The head of a request.
   *
   * @param target as it was sent, a path or a whole URL
   * @param path that it is routed by
   */
  public record Head(
      HttpMethod method, String target, String path, HttpVersion version, MultiMap headers) {
    /** Head of a request that is routed by this path. */
    public static Head of(HttpServerRequest request, String path) {
      return new Head(request.method(), request.uri(), path, request.version(), request.headers());
    }
  }

  /** Result of the check. */
  public sealed interface Result {
    /** It goes on. */
    record Accepted() implements Result {}

    /** Its Host is missing, not a host, or there are several. */
    record BadHost() implements Result {}

    /** It calls this service by a name that is not allowed. */
    record ForeignHost(String name) implements Result {}

    /** The page of another origin sent it. */
    record ForeignOrigin() implements Result {}

    /** It does not say what its body is, or says several things. */
    record NoContentType() implements Result {}
  }

  /** Judges a head. */
  public Result check(Head head) {
    Optional<List<Authority>> named = authorities(head);
    if (named.isEmpty()) {
      return new Result.BadHost();
    }
    for (Authority authority : named.get()) {
      if (!hosts.allows(authority)) {
        return new Result.ForeignHost(authority.host());
      }
    }
    if (!mayComeFromAnyPage(head) && !isOfOwnPage(head.headers(), named.get())) {
      return new Result.ForeignOrigin();
    }
    return lacksContentType(head) ? new Result.NoContentType() : new Result.Accepted();
  }

  /**
   * The Host, and the target's where that is a whole URL, which then are the same. HTTP/1.0 needs
   * neither [RFC 9112, 3.2], and no browser speaks it. Empty where they are amiss.
   */
  private static Optional<List<Authority>> authorities(Head head) {
    List<String> texts = new ArrayList<>(head.headers().getAll(HttpHeaders.HOST));
    if (texts.size() > 1 || (texts.isEmpty() && head.version() != HttpVersion.HTTP_1_0)) {
      return Optional.empty();
    }
    targetHost(head.target()).ifPresent(texts::add);
    List<Authority> parsed =
        texts.stream().map(Authority::parse).flatMap(Optional::stream).distinct().toList();
    boolean agree = parsed.size() == Math.min(texts.size(), 1);
    boolean allParsed = texts.stream().allMatch(text -> Authority.parse(text).isPresent());
    return agree && allParsed ? Optional.of(parsed) : Optional.empty();
  }

  /** Authority of a URL, with userinfo. */
  private static Optional<String> targetHost(String target) {
    int scheme = target.indexOf("://");
    if (target.startsWith("/") || scheme < 0) {
      return Optional.empty();
    }
    String rest = target.substring(scheme + 3);
    return Optional.of(rest.split("[/?#]", 2)[0]);
  }

  private static boolean mayComeFromAnyPage(Head head) {
    return READING.contains(head.method())
        && (PAGES.contains(head.path()) || head.path().startsWith(FRAMEWORK));
  }

  private static boolean isOfOwnPage(MultiMap headers, List<Authority> named) {
    boolean ownSite =
        headers.getAll(SEC_FETCH_SITE).stream()
            .allMatch(site -> OWN_PAGES.contains(site.toLowerCase(Locale.ROOT)));
    return ownSite
        && headers.getAll(HttpHeaders.ORIGIN).stream().allMatch(origin -> isOwn(origin, named));
  }

  /**
   * Whether an origin is the called one. Its scheme is left out: a proxy may end TLS in front of
   * this service, and both schemes cannot be answered by others on one port.
   */
  private static boolean isOwn(String origin, List<Authority> named) {
    String text = origin.toLowerCase(Locale.ROOT);
    int port = text.startsWith("https://") ? 443 : 80;
    String prefix = port == 443 ? "https://" : "http://";
    return text.startsWith(prefix)
        && Authority.parse(text.substring(prefix.length()))
            .map(page -> page.withDefaultPort(port))
            .filter(page ->
                named.stream().anyMatch(called -> called.withDefaultPort(port).equals(page)))
            .isPresent();
  }

  /**
   * Pages of other origins can send bodies without a type, and three types, without the browser
   * asking first. Endpoints take none of the three. A bearer token makes the browser ask in any
   * case; {@code kubectl create --raw} sends one, and no type.
   */
  private static boolean lacksContentType(Head head) {
    MultiMap headers = head.headers();
    boolean mayHaveBody =
        WITH_BODY.contains(head.method())
            || headers.contains(HttpHeaders.TRANSFER_ENCODING)
            || !headers.getAll(HttpHeaders.CONTENT_LENGTH).stream().allMatch("0"::equals);
    List<String> types = headers.getAll(HttpHeaders.CONTENT_TYPE);
    return mayHaveBody
        && (types.isEmpty()
            ? !hasBearerToken(headers)
            : types.size() > 1 || !MEDIA_TYPE.matcher(types.getFirst()).matches());
  }

  private static boolean hasBearerToken(MultiMap headers) {
    return headers.getAll(HttpHeaders.AUTHORIZATION).stream()
        .anyMatch(credentials -> credentials.regionMatches(true, 0, BEARER, 0, BEARER.length()));
  }
}

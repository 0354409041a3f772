package dev.cotenant.service.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.origin.OriginCheck.Head;
import dev.cotenant.service.origin.OriginCheck.Result;
import dev.cotenant.service.origin.OriginCheck.Result.Accepted;
import dev.cotenant.service.origin.OriginCheck.Result.BadHost;
import dev.cotenant.service.origin.OriginCheck.Result.ForeignHost;
import dev.cotenant.service.origin.OriginCheck.Result.ForeignOrigin;
import dev.cotenant.service.origin.OriginCheck.Result.NoContentType;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginCheckTest {
  private static final String REST = "/v1/gpus";
  private static final String JSON = "Content-Type: application/json";

  private final OriginCheck check =
      new OriginCheck(new AllowedHosts(List.of("gpus.example", "0.0.0.0")));

  private Result result(String method, String target, String... headers) {
    MultiMap map = MultiMap.caseInsensitiveMultiMap();
    for (String header : headers) {
      String[] parts = header.split(": ?", 2);
      map.add(parts[0], parts[1]);
    }
    String path = target.replaceFirst("^[a-z]+://[^/]*", "");
    return check.check(
        new Head(HttpMethod.valueOf(method), target, path, HttpVersion.HTTP_1_1, map));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:8080",
        "LOCALHOST.:9999",
        "127.0.0.1:8080",
        "[::1]:8080",
        "10.244.1.7:8080", // a pod's, as the kubelet and Prometheus call it
        "gpus.example",
        "GPUS.example.:443"
      })
  void letsThroughByItsOwnNamesAndEveryAddress(String host) {
    for (String path : List.of("/", REST, "/q/health/live", "/q/metrics")) {
      assertThat(result("GET", path, "Host: " + host)).as(path).isEqualTo(new Accepted());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.localhost",
        "xgpus.example",
        "localhost..",
      })
  void refusesOtherNamesOnEveryPath(String host) {
    for (String path : List.of("/", REST, "/q/health/live", "/q/metrics", "/none")) {
      assertThat(result("GET", path, "Host: " + host)).isInstanceOf(ForeignHost.class);
    }
  }

  @Test
  void refusesWhatIsNoHost() {
    assertThat(result("GET", REST)).isEqualTo(new BadHost());
    assertThat(result("GET", REST, "Host:")).isEqualTo(new BadHost());
    assertThat(result("GET", REST, "Host: user@localhost")).isEqualTo(new BadHost());
    assertThat(result("GET", REST, "Host: [::1%25lo]")).isEqualTo(new BadHost());
    assertThat(result("GET", REST, "Host: localhost", "Host: evil.example"))
        .isEqualTo(new BadHost());
    assertThat(result("GET", REST, "Host: localhost", "Host: localhost")).isEqualTo(new BadHost());
  }

  @Test
  void asksAWholeUrlForItsHostToo() {
    String host = "Host: localhost:8080";
    assertThat(result("GET", "http://localhost:8080/v1/gpus", host)).isEqualTo(new Accepted());
    assertThat(result("GET", "http://evil.example/v1/gpus", host)).isEqualTo(new BadHost());
    assertThat(result("GET", "http://127.0.0.1:8080/v1/gpus", host)).isEqualTo(new BadHost());
    assertThat(result("GET", "http://localhost:8080@evil.example/v1/gpus", host))
        .isEqualTo(new BadHost());
    assertThat(result("GET", "http://evil.example/", "Host: evil.example"))
        .isEqualTo(new ForeignHost("evil.example"));
  }

  @Test
  void needsNoHostOfClientsOlderThanHosts() {
    Head old =
        new Head(
            HttpMethod.GET,
            "/q/health/live",
            "/q/health/live",
            HttpVersion.HTTP_1_0,
            MultiMap.caseInsensitiveMultiMap());

    assertThat(check.check(old)).isEqualTo(new Accepted());
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8080, http://localhost:8080",
    "localhost:8080, HTTP://LOCALHOST:8080",
    "localhost, http://localhost",
    "localhost:80, http://localhost",
    "[::1]:8080, http://[::1]:8080",
    "gpus.example, https://gpus.example", // a proxy ends TLS in front
    "gpus.example:443, https://gpus.example",
  })
  void letsItsOwnPagesCallIt(String host, String origin) {
    for (String method : List.of("GET", "POST", "DELETE")) {
      assertThat(result(method, REST, "Host: " + host, "Origin: " + origin, JSON))
          .isEqualTo(new Accepted());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8080, null",
    "localhost:8080, http://evil.example",
    "localhost:8080, http://localhost",
    "localhost:8080, http://localhost:8081",
    "localhost:8080, http://127.0.0.1:8080",
    "localhost:8080, http://localhost:8080.evil.example",
    "localhost:8080, http://localhost:8080@evil.example",
    "localhost:8080, http://user@localhost:8080",
    "localhost:8080, http://localhost:8080/",
    "localhost:8080, file://",
    "localhost:8080, chrome-extension://localhost:8080",
    "localhost:8080, localhost:8080",
    "localhost:8080, ''",
    "localhost:8080, 'http://localhost:8080, http://evil.example'",
    "gpus.example, http://gpus.example:443",
  })
  void refusesThePagesOfOthers(String host, String origin) {
    for (String method : List.of("GET", "POST", "PUT", "DELETE", "OPTIONS", "FOO")) {
      assertThat(result(method, REST, "Host: " + host, "Origin: " + origin, JSON))
          .isEqualTo(new ForeignOrigin());
    }
  }

  @Test
  void refusesASecondOriginAndWhateverTheBrowserCallsForeign() {
    String host = "Host: localhost:8080";
    String own = "Origin: http://localhost:8080";
    assertThat(result("GET", REST, host, own, "Origin: http://evil.example"))
        .isEqualTo(new ForeignOrigin());
    for (String site : List.of("cross-site", "same-site", "Cross-Site", "", "anything")) {
      assertThat(result("GET", REST, host, "Sec-Fetch-Site: " + site))
          .isEqualTo(new ForeignOrigin());
      assertThat(result("POST", REST, host, own, JSON, "Sec-Fetch-Site: " + site))
          .isEqualTo(new ForeignOrigin());
    }
    for (String site : List.of("same-origin", "none", "Same-Origin")) {
      assertThat(result("GET", REST, host, "Sec-Fetch-Site: " + site)).isEqualTo(new Accepted());
    }
  }

  @Test
  void letsOthersLinkToThePageAndToNothingElse() {
    String[] headers = {"Host: localhost:8080", "Sec-Fetch-Site: cross-site"};
    for (String page : List.of("/", "/index.html", "/q/swagger-ui/", "/q/metrics")) {
      assertThat(result("GET", page, headers)).as(page).isEqualTo(new Accepted());
      assertThat(result("POST", page, headers)).as(page).isEqualTo(new ForeignOrigin());
    }
    for (String path : List.of(REST, "//v1/gpus", "/V1/gpus", "/%761/gpus", "/q", "")) {
      assertThat(result("GET", path, headers)).as(path).isEqualTo(new ForeignOrigin());
    }
  }

  @Test
  void wantsToKnowWhatABodyIs() {
    String host = "Host: localhost:8080";
    for (String method : List.of("POST", "PUT", "PATCH")) {
      assertThat(result(method, REST, host)).isEqualTo(new NoContentType());
      assertThat(result(method, REST, host, "Content-Type:")).isEqualTo(new NoContentType());
      for (String type : List.of("*/*", "json", "text/plain,application/json", "a/b, c/d", "/")) {
        assertThat(result(method, REST, host, "Content-Type: " + type))
            .isEqualTo(new NoContentType());
      }
      assertThat(result(method, REST, host, JSON, "Content-Type: text/plain"))
          .isEqualTo(new NoContentType());
      assertThat(result(method, REST, host, JSON)).isEqualTo(new Accepted());
      assertThat(result(method, REST, host, JSON + "; charset=\"utf-8\""))
          .isEqualTo(new Accepted());
    }
    assertThat(result("DELETE", REST, host)).isEqualTo(new Accepted());
    assertThat(result("DELETE", REST, host, "Content-Length: 0")).isEqualTo(new Accepted());
    assertThat(result("DELETE", REST, host, "Content-Length: 1")).isEqualTo(new NoContentType());
    assertThat(result("GET", REST, host, "Transfer-Encoding: chunked"))
        .isEqualTo(new NoContentType());
  }

  @Test
  void needsNoTypeBesideABearerToken() {
    String host = "Host: localhost:8080";
    assertThat(result("POST", REST, host, "Authorization: bearer abc")).isEqualTo(new Accepted());
    assertThat(result("POST", REST, host, "Authorization: Basic abc"))
        .isEqualTo(new NoContentType());
    assertThat(
            result("POST", REST, host, "Authorization: Bearer abc", "Content-Type: text/plain,a/b"))
        .isEqualTo(new NoContentType());
    assertThat(
            result("POST", REST, host, "Authorization: Bearer abc", "Sec-Fetch-Site: cross-site"))
        .isEqualTo(new ForeignOrigin());
  }
}

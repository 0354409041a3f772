package dev.cotenant.service.page;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Serves the page. It is checked at each visit whether it has changed; its files never do, since
 * their addresses change with them.
 */
@Singleton
final class PageRoutes {
  private static final int FOUND = 302;
  private static final int NOT_MODIFIED = 304;

  /** [CSP Level 3; Trusted Types]: nothing from elsewhere, and no markup from strings. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private final PageFiles files = PageFiles.read();
  private final String tag = '"' + files.digest() + '"';
  private final boolean hasSwaggerUi;

  PageRoutes(
      @ConfigProperty(name = "quarkus.swagger-ui.enabled", defaultValue = "true")
          boolean hasSwaggerUi) {
    this.hasSwaggerUi = hasSwaggerUi;
  }

  void register(@Observes Router router) {
    router.get("/").handler(this::index);
    router.get("/index.html").handler(this::index);
    router.head("/").handler(this::index);
    router.get("/api").handler(this::api);
    router.get("/assets/:version/:name").handler(this::asset);
  }

  private void index(RoutingContext context) {
    HttpServerResponse response = context.response();
    response
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
        .putHeader(HttpHeaders.ETAG, tag);
    if (tag.equals(context.request().getHeader(HttpHeaders.IF_NONE_MATCH))) {
      response.setStatusCode(NOT_MODIFIED).end();
    } else {
      send(context, files.index());
    }
  }

  /** The page to try REST on where it is served, else the document. */
  private void api(RoutingContext context) {
    context
        .response()
        .setStatusCode(FOUND)
        .putHeader(HttpHeaders.LOCATION, hasSwaggerUi ? "q/swagger-ui/" : "q/openapi")
        .end();
  }

  private void asset(RoutingContext context) {
    files
        .asset(context.pathParam("version"), context.pathParam("name"))
        .ifPresentOrElse(
            file -> {
              context
                  .response()
                  .putHeader(HttpHeaders.CACHE_CONTROL, "public, max-age=31536000, immutable");
              send(context, file);
            },
            context::next);
  }

  private static void send(RoutingContext context, PageFiles.File file) {
    context.response().putHeader(HttpHeaders.CONTENT_TYPE, file.type()).end(file.content());
  }
}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.lifecycle.Forecasts;
import dev.cotenant.engine.lifecycle.KnownVersions;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.service.rest.query.Page;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Versions of the predictor as REST shows them. */
final class PredictorViews {
  private PredictorViews() {}

  /** The serving version of this process. */
  record ServingView(
      @JsonProperty("version") String version, @JsonProperty("sha256") String sha256) {
    static ServingView of(Serving.Served served) {
      return new ServingView(served.label(), served.sha256());
    }
  }

  /**
   * A version.
   *
   * @param parent SHA-256 of the model that it corrects; absent where it stands alone
   * @param promoted whether it is what is to serve
   * @param provenance one {@code key: value} each
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record VersionView(
      @JsonProperty("version") String version,
      @JsonProperty("sha256") String sha256,
      @JsonProperty("kind") String kind,
      @JsonProperty("origin") String origin,
      @JsonProperty("parent") @Nullable String parent,
      @JsonProperty("created_at") String createdAt,
      @JsonProperty("promoted") boolean promoted,
      @JsonProperty("metrics") Map<String, Double> metrics,
      @JsonProperty("provenance") List<String> provenance,
      @JsonProperty("card") String card) {
    static VersionView of(ModelVersion version, boolean promoted) {
      return new VersionView(
          version.label(),
          version.sha256(),
          lowerCase(version.kind()),
          lowerCase(version.origin()),
          version.parent(),
          version.createdAt().toString(),
          promoted,
          version.metrics(),
          version.provenance().lines().toList(),
          version.card());
    }
  }

  /** A change of what serves. */
  record PromotionView(
      @JsonProperty("number") long number,
      @JsonProperty("sha256") String sha256,
      @JsonProperty("at") String at,
      @JsonProperty("by") String by,
      @JsonProperty("grounds") String grounds,
      @JsonProperty("reason") String reason) {
    static PromotionView of(Promotion promotion) {
      return new PromotionView(
          promotion.number(),
          promotion.version(),
          promotion.at().toString(),
          promotion.by(),
          lowerCase(promotion.grounds()),
          promotion.reason());
    }
  }

  /** Of the forecast of used memory: what serves, all versions and promotions, oldest first. */
  record ForecastsView(
      @JsonProperty("serving") ServingView serving,
      @JsonProperty("versions") List<VersionView> versions,
      @JsonProperty("promotions") List<PromotionView> promotions) {
    ForecastsView {
      versions = List.copyOf(versions);
      promotions = List.copyOf(promotions);
    }

    static ForecastsView of(Forecasts.Served served, KnownVersions.Listing listing) {
      return new ForecastsView(
          new ServingView(served.label(), served.sha256()),
          versionsOf(listing, listing.versions()),
          promotionsOf(listing));
    }
  }

  private static List<VersionView> versionsOf(
      KnownVersions.Listing listing, List<ModelVersion> shown) {
    List<Promotion> history = listing.promotions();
    String promoted = history.isEmpty() ? "" : history.getLast().version();
    return shown.stream()
        .map(version -> VersionView.of(version, version.sha256().equals(promoted)))
        .toList();
  }

  private static List<PromotionView> promotionsOf(KnownVersions.Listing listing) {
    return listing.promotions().stream().map(PromotionView::of).toList();
  }

  /**
   * Versions of a page and all promotions, oldest first.
   *
   * @param store whether the database was {@code reachable} or {@code unreachable}
   * @param readAt when it was read; absent where it never was
   * @param next token of the next page; absent on the last
   * @param forecasts those of the forecast of used memory
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record PredictorsView(
      @JsonProperty("serving") ServingView serving,
      @JsonProperty("store") String store,
      @JsonProperty("read_at") @Nullable String readAt,
      @JsonProperty("predictors") List<VersionView> predictors,
      @JsonProperty("promotions") List<PromotionView> promotions,
      @JsonProperty("continue") @Nullable String next,
      @JsonProperty("forecasts") ForecastsView forecasts) {
    PredictorsView {
      predictors = List.copyOf(predictors);
      promotions = List.copyOf(promotions);
    }

    static PredictorsView of(
        Serving.Served served,
        KnownVersions.Listing listing,
        Page<ModelVersion> page,
        ForecastsView forecasts) {
      Instant readAt = listing.readAt();
      return new PredictorsView(
          ServingView.of(served),
          listing.current() ? "reachable" : "unreachable",
          readAt == null ? null : readAt.toString(),
          versionsOf(listing, page.entries()),
          promotionsOf(listing),
          page.next(),
          forecasts);
    }
  }

  static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.lifecycle.Forecasts;
import dev.cotenant.engine.lifecycle.KnownVersions;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.rest.query.Page;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
   * @param parent SHA-256 of the model that it corrects; absent for a base model
   * @param promoted whether it is the promoted version
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
   * @param drift measured against predicted utilization by device; absent while the database is
   *     down
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record PredictorsView(
      @JsonProperty("serving") ServingView serving,
      @JsonProperty("store") String store,
      @JsonProperty("read_at") @Nullable String readAt,
      @JsonProperty("predictors") List<VersionView> predictors,
      @JsonProperty("promotions") List<PromotionView> promotions,
      @JsonProperty("continue") @Nullable String next,
      @JsonProperty("forecasts") ForecastsView forecasts,
      @JsonProperty("drift") @Nullable List<DriftView> drift) {
    PredictorsView {
      drift = drift == null ? null : List.copyOf(drift);
      predictors = List.copyOf(predictors);
      promotions = List.copyOf(promotions);
    }

    static PredictorsView of(
        Serving.Served served,
        KnownVersions.Listing listing,
        Page<ModelVersion> page,
        ForecastsView forecasts,
        @Nullable List<DriftView> drift) {
      Instant readAt = listing.readAt();
      return new PredictorsView(
          ServingView.of(served),
          listing.current() ? "reachable" : "unreachable",
          readAt == null ? null : readAt.toString(),
          versionsOf(listing, page.entries()),
          promotionsOf(listing),
          page.next(),
          forecasts,
          drift);
    }
  }

  /**
   * The newest measured runs of a device, at most 200, over all replicas.
   *
   * @param bias mean of the logarithm of measured over predicted utilization
   * @param aboveUpper share of runs above their upper bound
   */
  record DriftView(
      @JsonProperty("device") String device,
      @JsonProperty("runs") int runs,
      @JsonProperty("bias") double bias,
      @JsonProperty("above_upper") double aboveUpper,
      @JsonProperty("first_at") String firstAt,
      @JsonProperty("last_at") String lastAt) {
    static List<DriftView> all(List<DriftStore.Run> runs) {
      Map<String, List<DriftStore.Run>> byDevice =
          runs.stream()
              .collect(
                  Collectors.groupingBy(DriftStore.Run::device, TreeMap::new, Collectors.toList()));
      return byDevice.entrySet().stream().map(one -> of(one.getKey(), one.getValue())).toList();
    }

    private static DriftView of(String device, List<DriftStore.Run> runs) {
      return new DriftView(
          device,
          runs.size(),
          runs.stream().mapToDouble(DriftStore.Run::logRatio).average().orElse(0),
          runs.stream().filter(DriftStore.Run::isAboveUpper).count() / (double) runs.size(),
          runs.getFirst().at().toString(),
          runs.getLast().at().toString());
    }
  }

  static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

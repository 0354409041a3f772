package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.predictor.model.Provenance;
import java.util.List;

/** A predictor and where it comes from. */
public record PredictorView(
    @JsonProperty("version") String version,
    @JsonProperty("trained_at") String trainedAt,
    @JsonProperty("seed") long seed,
    @JsonProperty("coverage") double coverage,
    @JsonProperty("data_sets") List<DataSetView> dataSets,
    @JsonProperty("devices") List<String> devices,
    @JsonProperty("families") List<String> families,
    @JsonProperty("settings") List<String> settings) {

  /** One set of measured runs that it was trained on. */
  public record DataSetView(
      @JsonProperty("format") String format,
      @JsonProperty("sha256") String sha256,
      @JsonProperty("rows_read") int rowsRead,
      @JsonProperty("rows_used") int rowsUsed,
      @JsonProperty("rows_rejected") int rowsRejected) {
    static DataSetView of(Provenance.DataSet set) {
      return new DataSetView(
          set.format(), set.sha256(), set.rowsRead(), set.rowsUsed(), set.rowsRejected());
    }
  }

  public static PredictorView of(String version, Provenance provenance) {
    return new PredictorView(
        version,
        provenance.trainedAt().toString(),
        provenance.seed(),
        provenance.coverage().fraction(),
        provenance.dataSets().stream().map(DataSetView::of).toList(),
        provenance.devices().stream().map(DeviceId::value).toList(),
        provenance.families(),
        provenance.settings());
  }
}

package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.workload.Precision;
import org.jspecify.annotations.Nullable;

/** A device of the catalogue; rates are dense peaks, null of a format that the hardware lacks. */
public record DeviceView(
    @JsonProperty("id") String id,
    @JsonProperty("product_name") String productName,
    @JsonProperty("memory_bytes") long memoryBytes,
    @JsonProperty("fp32_teraflops") double fp32Teraflops,
    @JsonProperty("fp32_matrix_teraflops") @Nullable Double fp32MatrixTeraflops,
    @JsonProperty("tf32_teraflops") @Nullable Double tf32Teraflops,
    @JsonProperty("fp16_teraflops") @Nullable Double fp16Teraflops,
    @JsonProperty("bf16_teraflops") @Nullable Double bf16Teraflops,
    @JsonProperty("bandwidth_gigabytes_per_second") double bandwidthGigabytesPerSecond,
    @JsonProperty("streaming_multiprocessors") int streamingMultiprocessors,
    @JsonProperty("l2_cache_bytes") long l2CacheBytes,
    @JsonProperty("board_power_watts") double boardPowerWatts,
    @JsonProperty("source") String source) {

  public static DeviceView of(Device device) {
    return new DeviceView(
        device.id().value(),
        device.productName(),
        device.memory().bytes(),
        device.peak().teraflops(Precision.FP32),
        device.peak().fp32Matrix(),
        rate(device, Precision.TF32),
        rate(device, Precision.FP16),
        rate(device, Precision.BF16),
        device.bandwidthGigabytesPerSecond(),
        device.streamingMultiprocessors(),
        device.l2Cache().bytes(),
        device.boardPowerWatts(),
        device.source());
  }

  private static @Nullable Double rate(Device device, Precision format) {
    return device.peak().byFormat().get(format);
  }
}

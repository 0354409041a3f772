package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.device.Device;

/** A device of the catalogue; rates are dense peaks. */
public record DeviceView(
    @JsonProperty("id") String id,
    @JsonProperty("product_name") String productName,
    @JsonProperty("memory_bytes") long memoryBytes,
    @JsonProperty("fp32_teraflops") double fp32Teraflops,
    @JsonProperty("tf32_teraflops") double tf32Teraflops,
    @JsonProperty("fp16_teraflops") double fp16Teraflops,
    @JsonProperty("bf16_teraflops") double bf16Teraflops,
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
        device.peak().fp32Teraflops(),
        device.peak().tf32Teraflops(),
        device.peak().fp16Teraflops(),
        device.peak().bf16Teraflops(),
        device.bandwidthGigabytesPerSecond(),
        device.streamingMultiprocessors(),
        device.l2Cache().bytes(),
        device.boardPowerWatts(),
        device.source());
  }
}

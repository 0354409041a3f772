package dev.cotenant.service.configuration;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The server that used memory is read from; without a url the recorded cluster is. */
public interface PrometheusConfiguration {
  /** Its base address. */
  Optional<String> url();

  /** Metric of used memory. */
  @WithDefault("DCGM_FI_DEV_FB_USED")
  String usedMetric();

  /** Metric of free memory. */
  @WithDefault("DCGM_FI_DEV_FB_FREE")
  String freeMetric();

  /** Metric of utilization in percent. */
  @WithDefault("DCGM_FI_DEV_GPU_UTIL")
  String utilizationMetric();

  /** Added to every selector. */
  Optional<String> matchers();

  /** Bytes in one unit of the memory metrics. */
  @WithDefault("1M")
  MemorySize memoryUnit();

  /** Time range of the samples. */
  @WithDefault("1h")
  Duration window();

  /** Interval of the samples. */
  @WithDefault("30s")
  Duration step();

  /** Collection interval of the exporter; a smaller step is raised to it. */
  @WithDefault("30s")
  Duration collectionInterval();

  /** Pause between two readings. */
  @WithDefault("15s")
  Duration refreshInterval();

  /** Name of the header that names a tenant. */
  @WithDefault("X-Scope-OrgID")
  String tenantHeader();

  /** The tenant; the header is sent only with one. */
  Optional<String> tenant();

  /** A file with a bearer token. */
  Optional<Path> bearerTokenFile();

  /** PEM file of the authorities of the server's certificate. */
  Optional<Path> caFile();

  /** PEM of the client's certificate. */
  Optional<Path> clientCertificateFile();

  /** PEM of its key, without a password. */
  Optional<Path> clientKeyFile();

  /** Until a connection stands. */
  @WithDefault("2s")
  Duration connectTimeout();

  /** Until a whole answer was read. */
  @WithDefault("10s")
  Duration requestTimeout();

  /** The largest answer that is read. */
  @WithDefault("256M")
  MemorySize maxAnswerSize();

  /** Largest lead of a sample over this machine's clock. */
  @WithDefault("30s")
  Duration clockSkew();
}

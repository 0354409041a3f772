package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Map;

/** What is done with the pods of namespaces that have no policy of their own. */
public interface PolicyConfiguration {
  /** How far decisions reach: off, shadow, warn, enforce or immediate. */
  @WithDefault("immediate")
  String mode();

  /** What to do with pods whose model is not registered: exclusive, unmanaged or deny. */
  @WithDefault("exclusive")
  String unknownModels();

  /** How a pod gets onto its GPU: node-only, hami, dra or visible-devices. */
  @WithDefault("node-only")
  String targeting();

  /** What to do about GPUs whose memory is not known by now: hold, allow or exclusive. */
  @WithDefault("hold")
  String staleMetrics();

  /** In what order held pods are decided on: priority or largest-memory-first. */
  @WithDefault("priority")
  String ordering();

  /** How long a held pod waits to be worth more. */
  @WithDefault("1m")
  Duration ageing();

  /** How often later pods may pass a held one. */
  @WithDefault("20")
  int maxSkips();

  /** How long a pod is held. */
  @WithDefault("10m")
  Duration maxWait();

  /** What becomes of it then: exclusive, unmanaged or hold. */
  @WithDefault("exclusive")
  String fallback();

  /** What becomes of a pod that ran out of memory: report or resubmit. */
  @WithDefault("report")
  String outOfMemory();

  /** Within which limits workloads share a GPU. */
  LimitsConfiguration limits();

  /** In which of the limits GPUs of a product differ, by device id. */
  Map<String, OtherLimitsConfiguration> devices();
}

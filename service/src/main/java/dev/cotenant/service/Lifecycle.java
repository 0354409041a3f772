package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.rest.Uploads;
import dev.cotenant.service.webhook.FirstCertificate;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

/**
 * Makes every part before the first request, so that what is wrong with the configuration ends the
 * process with one line instead of failing requests.
 */
@Singleton
final class Lifecycle {
  private final ReadyState ready;
  private final Instance<Exposure> exposure;
  private final Instance<Uploads> uploads;
  private final Instance<FirstCertificate> certificate;
  private final Instance<WarmUp> warmUp;
  private final Instance<WebhookServer> webhooks;
  private final Instance<Storage> storage;
  private final Instance<DeviceReload> devices;
  private final Instance<ModelReading> models;
  private final Instance<KubernetesParts> kubernetes;
  private final Instance<ServingLoop> servers;
  private final Supervisor supervisor;
  private volatile boolean started;

  Lifecycle(
      ReadyState ready,
      Instance<Exposure> exposure,
      Instance<Uploads> uploads,
      Instance<FirstCertificate> certificate,
      Instance<WarmUp> warmUp,
      Instance<WebhookServer> webhooks,
      Instance<Storage> storage,
      Instance<DeviceReload> devices,
      Instance<ModelReading> models,
      Instance<KubernetesParts> kubernetes,
      Instance<ServingLoop> servers,
      Supervisor supervisor) {
    this.ready = ready;
    this.storage = storage;
    this.devices = devices;
    this.models = models;
    this.kubernetes = kubernetes;
    this.servers = servers;
    this.supervisor = supervisor;
    this.exposure = exposure;
    this.uploads = uploads;
    this.certificate = certificate;
    this.warmUp = warmUp;
    this.webhooks = webhooks;
  }

  void start(@Observes StartupEvent event) {
    try {
      exposure.get().check();
      uploads.get().clean();
      storage.get().start(); // takes the lock of the data directory
      certificate.get().begin();
      devices.get().start();
      models.get().start();
      WarmUp reviews = warmUp.get();
      reviews.run();
      webhooks.get().start();
      kubernetes.get().start(supervisor);
      servers.get().start();
      exposure.get().warn();
      started = true;
      webhooks.get().warmUp(reviews::answer, reviews.body()).onComplete(_ -> ready.set());
    } catch (InputException e) {
      throw new ConfigurationException("cotenant: " + e.getMessage());
    }
  }

  void stop(@Observes ShutdownEvent event) {
    if (started) {
      servers.get().stop();
      kubernetes.get().stop();
      models.get().stop();
      devices.get().stop();
      webhooks.get().stop();
      storage.get().stop();
    }
  }
}

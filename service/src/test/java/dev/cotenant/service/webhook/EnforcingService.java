package dev.cotenant.service.webhook;

import dev.cotenant.service.RunningService;
import java.util.Map;

/** A service in mode enforce with a certificate of its own, whose files are looked at often. */
public final class EnforcingService extends RunningService {
  static PemFiles files() {
    return new PemFiles(dataDirectory().resolve("tls"));
  }

  @Override
  public Map<String, String> getConfigOverrides() {
    PemFiles files = files();
    PemFiles.Pair first = files.make("first", "EC");
    files.write(first.certificate(), first.key());
    Map<String, String> configuration = super.getConfigOverrides();
    configuration.put("cotenant.policy.mode", "enforce");
    configuration.put("quarkus.tls.webhook.key-store.pem.0.cert", files.certificate().toString());
    configuration.put("quarkus.tls.webhook.key-store.pem.0.key", files.key().toString());
    configuration.put("cotenant.webhook.certificate-interval", "100ms");
    configuration.put("cotenant.server.body-deadline", "2m"); // a body waits for a new certificate
    return configuration;
  }
}

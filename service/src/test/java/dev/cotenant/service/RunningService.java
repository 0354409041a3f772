package dev.cotenant.service;

import dev.cotenant.service.access.FakeRights;
import dev.cotenant.service.access.FakeTokens;
import io.quarkus.test.junit.QuarkusTestProfile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** How tests configure the service: a small cluster, shipped models, its own data directory. */
public class RunningService implements QuarkusTestProfile {
  /** Small enough to be passed in a test, large enough for every shipped model. */
  public static final int MAX_UPLOAD_BYTES = 1 << 20;

  /** What callers off this machine, and all of the HTTPS port, present. */
  public static final String REST_TOKEN = "a-token-for-tests-0123456789";

  /** The data directory of this profile itself: new for every run of the tests. */
  public static Path dataDirectory() {
    return dataDirectory(RunningService.class);
  }

  /** The data directory of a profile, which no other profile reads, whatever the order of tests. */
  private static Path dataDirectory(Class<?> profile) {
    return root()
        .resolve("service/target/service-data")
        .resolve(String.valueOf(ProcessHandle.current().pid()))
        .resolve(profile.getName());
  }

  /** The project's root. */
  public static Path root() {
    return Path.of(System.getProperty("cotenant.root", "..")).toAbsolutePath().normalize();
  }

  @Override
  public Set<Class<?>> getEnabledAlternatives() {
    return Set.of(FakeTokens.class, FakeRights.class);
  }

  @Override
  public Map<String, String> getConfigOverrides() {
    Map<String, String> configuration = new HashMap<>();
    configuration.put("cotenant.home", root().toString());
    configuration.put("cotenant.cluster.recorded", "service/src/test/resources/cluster.json");
    configuration.put("cotenant.data.directory", dataDirectory(getClass()).toString());
    configuration.put("cotenant.upload.max-size", String.valueOf(MAX_UPLOAD_BYTES));
    configuration.put("cotenant.database.refresh-interval", "1h"); // tests look when they want to
    configuration.put("cotenant.webhook.port", "0");
    configuration.put("cotenant.decisions.history", "20");
    configuration.put("cotenant.rest.token", REST_TOKEN);
    return configuration;
  }
}

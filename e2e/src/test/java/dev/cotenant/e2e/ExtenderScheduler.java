package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A stock kube-scheduler that calls the extender of the release's leader. */
final class ExtenderScheduler implements AutoCloseable {
  static final String PROFILE = "cotenant-scheduler";

  private static final String ACCOUNT = "gpu-scheduler";
  private static final int WEIGHT = 10;

  private final Process process;

  /** A second one, which schedules the pods of its profile alone. */
  static ExtenderScheduler second(Stage stage, Path program) {
    return new ExtenderScheduler(stage, program, PROFILE, extender(stage));
  }

  /** The cluster's own, which calls the extender for pods that request GPUs. */
  static ExtenderScheduler byDefault(Stage stage, Path program) {
    ObjectNode extender = extender(stage);
    extender
        .putArray("managedResources")
        .addObject()
        .put("name", "nvidia.com/gpu")
        .put("ignoredByScheduler", false);
    stage.cluster().stopScheduler();
    return new ExtenderScheduler(stage, program, KubeScheduler.DEFAULT, extender);
  }

  /** The API server's administrator schedules, an account of its own calls the extender. */
  private ExtenderScheduler(Stage stage, Path program, String profile, ObjectNode extender) {
    try {
      Path folder = Files.createTempDirectory(stage.folder(), profile);
      Path kubeconfig = stage.cluster().kubeconfig(folder, stage.cluster().admin().getOauthToken());
      KubeScheduler scheduler = new KubeScheduler(profile, kubeconfig, Optional.of(extender));
      List<String> command = new ArrayList<>(List.of(program.toString()));
      command.addAll(scheduler.options(folder));
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve(profile + ".log").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode extender(Stage stage) {
    stage.release().createAccount(stage.admin(), ACCOUNT);
    stage.release().bindEverywhere(stage.admin(), ACCOUNT, "scheduler");
    String token = stage.release().token(stage.admin(), ACCOUNT, "cotenant");
    ObjectNode extender = new ObjectMapper().createObjectNode();
    extender
        .put(
            "urlPrefix",
            "https://cotenant:%s@%s:%d/extender"
                .formatted(token, stage.cluster().webhookHost(), stage.replicas().leaderPort()))
        .put("filterVerb", "filter")
        .put("prioritizeVerb", "prioritize")
        .put("bindVerb", "bind")
        .put("preemptVerb", "preempt")
        .put("weight", WEIGHT)
        .put("enableHTTPS", true)
        .put("nodeCacheCapable", true)
        .put("ignorable", false)
        .put("httpTimeout", "5s");
    extender
        .putObject("tlsConfig")
        .put("caFile", stage.certificate().folder().resolve("tls.crt").toString());
    return extender;
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}

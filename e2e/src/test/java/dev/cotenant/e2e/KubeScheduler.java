package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Options and configuration of a kube-scheduler with one profile.
 *
 * @param profile the name in {@code spec.schedulerName} of its pods
 * @param kubeconfig of an administrator
 * @param extender its only extender
 */
record KubeScheduler(String profile, Path kubeconfig, Optional<ObjectNode> extender) {
  static final String PROGRAM = "kube-scheduler";

  /** The scheduler of every pod that names no other. */
  static final String DEFAULT = "default-scheduler";

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int QPS = 200;

  /** A stock one, the scheduler of every pod that names no other. */
  static KubeScheduler stock(Path kubeconfig) {
    return new KubeScheduler(DEFAULT, kubeconfig, Optional.empty());
  }

  /** Its command line; the configuration is a file in {@code folder}. */
  List<String> options(Path folder) throws IOException {
    Path file = folder.resolve(profile + "-configuration.json");
    Files.writeString(file, configuration().toPrettyString());
    List<String> options = new ArrayList<>(TestControlPlane.emulation());
    options.addAll(
        List.of(
            "--config=" + file,
            "--bind-address=127.0.0.1",
            "--secure-port=" + FreePort.find(),
            "--cert-dir=" + folder.resolve("certificates-of-" + profile)));
    return options;
  }

  private ObjectNode configuration() {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("apiVersion", "kubescheduler.config.k8s.io/v1");
    root.put("kind", "KubeSchedulerConfiguration");
    root.putObject("clientConnection")
        .put("kubeconfig", kubeconfig.toString())
        .put("qps", QPS)
        .put("burst", 2 * QPS);
    root.putObject("leaderElection").put("leaderElect", false);
    root.putArray("profiles").addObject().put("schedulerName", profile);
    extender.ifPresent(root.putArray("extenders")::add);
    return root;
  }
}

package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;

/** A cluster for the tests: one of their own, or one that somebody named. */
interface Cluster extends AutoCloseable {
  /** Where it is, as somebody who may do everything. */
  Config admin();

  /** Whether controllers make pods of Deployments and Jobs; else the tests have to. */
  boolean hasControllers();

  /** Whether a scheduler binds pods; else the tests do. */
  boolean hasScheduler();

  /** A kube-scheduler that a test can start beside it. */
  default Optional<Path> schedulerProgram() {
    return Optional.empty();
  }

  /** Ends the scheduler of the cluster, where a test may replace it. */
  default void stopScheduler() {
    throw new UnsupportedOperationException("the scheduler of this cluster is not the tests' own");
  }

  /** Starts it again. */
  default void startScheduler() {}

  /** The address of this machine at which the API server is to call the webhooks. */
  String webhookHost();

  /** Whether it is an error where the API server does not reach that address. */
  boolean mustReachWebhooks();

  /** What the tests call what they make in it. */
  Names names();

  @Override
  void close();

  /** The same server, as the owner of a token. */
  default Config as(String token) {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl(admin().getMasterUrl())
        .withTrustCerts(admin().isTrustCerts())
        .withCaCertData(admin().getCaCertData())
        .withCaCertFile(admin().getCaCertFile())
        .withOauthToken(token)
        .build();
  }

  /** A kubeconfig file for the owner of a token, in a folder. */
  default Path kubeconfig(Path folder, String token) {
    ObjectNode root = new ObjectMapper().createObjectNode();
    root.put("apiVersion", "v1").put("kind", "Config").put("current-context", "test");
    ObjectNode server = named(root, "clusters", "cluster").put("server", admin().getMasterUrl());
    if (admin().isTrustCerts()) {
      server.put("insecure-skip-tls-verify", true);
    } else if (admin().getCaCertData() != null) {
      server.put("certificate-authority-data", base64(admin().getCaCertData()));
    } else if (admin().getCaCertFile() != null) {
      server.put("certificate-authority", admin().getCaCertFile());
    }
    named(root, "users", "user").put("token", token);
    named(root, "contexts", "context").put("cluster", "test").put("user", "test");
    try {
      return Files.writeString(Files.createTempFile(folder, "kubeconfig", ""), root.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode named(ObjectNode root, String list, String one) {
    return root.putArray(list).addObject().put("name", "test").putObject(one);
  }

  private static String base64(String pemOrBase64) {
    return pemOrBase64.startsWith("-----")
        ? Base64.getEncoder()
            .encodeToString(pemOrBase64.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        : pemOrBase64;
  }
}

package dev.cotenant.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;

/** What the API server has; what is left out for want of it is said aloud. */
final class Abilities {
  private final Kube admin;
  private final int minor;
  private final String version;
  private final Set<String> leftOut = new HashSet<>();

  Abilities(Kube admin) {
    this.admin = admin;
    JsonNode server = admin.get("/version").required();
    version = server.path("gitVersion").asText();
    String digits = server.path("minor").asText().replaceAll("[^0-9]", "");
    minor = digits.isEmpty() ? 0 : Integer.parseInt(digits); // built by hand, without a version
  }

  /** Whether the server is of this minor version or a later one. */
  boolean isAtLeast(int wanted) {
    return minor >= wanted;
  }

  String version() {
    return version;
  }

  /** Whether objects of a kind can be created at a path. */
  boolean has(String path) {
    return admin.get(path).isSuccessful();
  }

  /** Skips a test that cannot pass here. */
  void require(boolean able, String what) {
    if (!able) {
      abort("SKIPPED: the API server is " + version + ", " + what);
    }
  }

  /** Says, once, that a part of a test was not made. */
  void leaveOut(String what) {
    if (leftOut.add(what)) {
      System.err.println("[e2e] LEFT OUT, the API server is " + version + ": " + what);
    }
  }
}

package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the chart makes, and what it leaves. */
@ExtendWith(OnStage.class)
class InstallIT {
  private static final int CHART_IS_FOR = 30;
  private static final int CREATED = 201;
  private static final int EXISTS = 409;

  @Test
  void theApiServerTakesEverythingThatTheChartMakes(Stage stage) {
    for (ObjectNode object : stage.release().objects()) {
      String kind = object.path("apiVersion").asText() + " " + object.path("kind").asText();
      String path = stage.release().path(object);
      if (!stage.abilities().has(path)) {
        stage.abilities().leaveOut("it has no " + kind);
      } else if (kind.equals("apps/v1 Deployment") && !stage.abilities().isAtLeast(CHART_IS_FOR)) {
        stage.abilities().leaveOut("pods cannot sleep before they end, so it refuses a " + kind);
      } else {
        Kube.Answer answer =
            stage.admin().create(path + "?dryRun=All&fieldValidation=Strict", object.toString());
        assertThat(answer.code())
            .as("%s: %s", stage.release().named(object), answer.body())
            .isIn(CREATED, EXISTS);
      }
    }
  }

  /** The job that runs before the release is deleted: as its own account, with its own role. */
  @Test
  void afterUninstallingNothingIsHeld(Stage stage) throws IOException, InterruptedException {
    stage.fill();
    stage.createHeld(PodManifest.named("held"));
    stage.replicas().close();

    assertThat(uninstall(stage)).contains("ungated");

    assertThat(stage.pods().isUngated("held")).isTrue();
    assertThat(Pods.hasGate(stage.pods().create(PodManifest.named("later")))).isFalse();
    for (String kind : List.of(Release.MUTATING, Release.VALIDATING)) {
      ObjectNode configuration = stage.release().only(kind, _ -> true);
      assertThat(stage.admin().get(stage.release().named(configuration)).code()).isEqualTo(404);
    }
  }

  @Test
  void uninstallingInTheMiddleOfABurstHoldsNoPod(Stage stage) throws Exception {
    stage.requireWebhooks();
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger created = new AtomicInteger();
    Thread burst =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                stage.pods().create(PodManifest.named("burst-" + created.incrementAndGet()));
              }
            });
    Eventually.holds("the burst has begun", () -> created.get() > 20);

    String output = uninstall(stage);
    int meanwhile = created.get();
    Eventually.holds("the burst goes on", () -> created.get() > meanwhile + 5);
    done.set(true);
    burst.join();
    stage.replicas().close();

    List<JsonNode> all = stage.pods().all();
    assertThat(all).hasSize(created.get());
    assertThat(all).as(output).noneMatch(Pods::hasGate);
  }

  private static String uninstall(Stage stage) throws IOException, InterruptedException {
    JsonNode pod = stage.release().only("Job", _ -> true).at("/spec/template/spec");
    JsonNode container = pod.at("/containers/0");
    assertThat(container.path("command").toString()).isEqualTo("[\"java\"]");
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    for (JsonNode argument : container.path("args")) {
      command.add(argument.asText().replace("/opt/cotenant/cli", stage.root() + "/cli/target"));
    }
    String token = stage.release().token(stage.admin(), pod.path("serviceAccountName").asText());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .put("KUBECONFIG", stage.cluster().kubeconfig(stage.folder(), token).toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}

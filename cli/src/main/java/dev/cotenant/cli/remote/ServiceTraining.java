package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A training in a running service, with the measured runs that it stores. */
public final class ServiceTraining {
  private static final String PATH = "/v1/trainings";
  private static final Set<String> OPEN = Set.of("queued", "running");
  private static final long LOOK_SECONDS = 1;

  @Option(
      names = "--service",
      description =
          "Trains a correction in a running service on its stored measured runs; only the options"
              + " of the service have an effect.")
  private boolean isWanted;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  /** Whether the service trains. */
  public boolean isWanted() {
    return isWanted;
  }

  /**
   * Trains and waits.
   *
   * @return the exit code
   * @throws dev.cotenant.domain.InputException where the service does not train
   */
  public int train(Console console) throws InterruptedException {
    RemoteService service = remote.service();
    JsonNode training = service.post(PATH, "{}", "id");
    String path = PATH + "/" + training.path("id").asText();
    String shown = "";
    while (OPEN.contains(training.path("state").asText())) {
      String step = training.path("state").asText() + " " + training.path("step").asText();
      if (!step.equals(shown)) {
        console.line(step.strip());
        shown = step;
      }
      TimeUnit.SECONDS.sleep(LOOK_SECONDS);
      training = service.get(path, "state");
    }
    console.line(training.path("state").asText() + ": " + training.path("message").asText());
    if (!training.hasNonNull("version")) {
      return 1;
    }
    console.line("./cotenant promote " + training.path("version").asText() + " activates it.");
    return 0;
  }
}

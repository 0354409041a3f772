package dev.cotenant.cli.service;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends pods to the webhook one after the other and prints what became of each. */
final class DemoReport {
  private static final String NOTHING = "-";

  private final Console console;
  private final ServiceClient client;
  private final Path data;

  DemoReport(Console console, ServiceClient client, Path data) {
    this.console = console;
    this.client = client;
    this.data = data;
  }

  void send(List<PodManifest> pods)
      throws IOException, GeneralSecurityException, InterruptedException {
    Table table =
        Table.of("pod", ">utilization", ">memory", "verdict", "device, or the first reason");
    for (PodManifest pod : pods) {
      String name = pod.pod().path("metadata").path("name").asText();
      add(table, name, PodAnswer.of(client.mutate(PodReview.ofCreation(pod), data)));
    }
    table.print(console);
    console.line("");
    console.line("Utilization and memory are the predicted upper bounds that were reckoned with.");
  }

  private static void add(Table table, String pod, PodAnswer answer) {
    switch (answer) {
      case PodAnswer.Admitted(Map<String, String> annotations) ->
          table.row(
              pod,
              withUnit(annotations.get(CotenantAnnotations.PREDICTED_UTILIZATION), " %"),
              withUnit(annotations.get(CotenantAnnotations.PREDICTED_MEMORY), "B"),
              "admitted",
              annotations.get(CotenantAnnotations.ASSIGNED_GPU)
                  + " on "
                  + annotations.get(CotenantAnnotations.ASSIGNED_NODE));
      case PodAnswer.LeftAlone _ -> table.row(pod, NOTHING, NOTHING, "left alone", NOTHING);
      case PodAnswer.Refused(List<String> reasons) ->
          table.row(pod, NOTHING, NOTHING, "refused", first(reasons));
    }
  }

  private static String withUnit(@Nullable String number, String unit) {
    return number == null ? NOTHING : number + unit;
  }

  private static String first(List<String> reasons) {
    String first = reasons.isEmpty() ? "no reason was given" : reasons.getFirst();
    return reasons.size() > 1 ? first + " (and " + (reasons.size() - 1) + " more)" : first;
  }
}

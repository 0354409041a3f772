package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Plans that iGniter's own code gave for 23 sets of workloads. */
class PlanOracleTest {
  private static final Pattern SET =
      Pattern.compile(
          "\"name\":\"(?<name>\\w+)\",\"workloads\":\\[(?<workloads>[^]]*)],\"gpus\":"
              + "(?<gpus>\\d+),\"too_large\":false,\"plan\":\\[(?<plan>.*?])]");
  private static final Pattern WORKLOAD =
      Pattern.compile(
          "\"model\":\"(?<model>\\w+)\",\"slo_ms\":(?<slo>[\\d.]+),\"rate_qps\":"
              + "(?<rate>[\\d.]+)");
  private static final Pattern GPU = Pattern.compile("\\[([^]]*)]");
  private static final Pattern PARTITION =
      Pattern.compile(
          "\"workload\":(?<workload>\\d+),\"model\":\"\\w+\",\"batch\":(?<batch>\\d+),"
              + "\"resource_pct\":(?<share>[\\d.]+)");

  private record Oracle(String name, List<Service> services, int gpus, String plan) {}

  @Test
  void plansEverySetAsTheAuthorsCodeDoes() throws IOException {
    List<Oracle> sets = sets();
    assertThat(sets).hasSize(23);
    for (Oracle set : sets) {
      FleetPlan plan = IgniterPlanner.IGNITER.plan(Fleets.of(set.services()));

      assertThat(plan.unplaced()).as(set.name()).isEmpty();
      assertThat(plan.gpus()).as(set.name()).hasSize(set.gpus());
      assertThat(Fleets.text(plan)).as(set.name()).isEqualTo(set.plan());
    }
  }

  private static List<Oracle> sets() throws IOException {
    String text = Files.readString(OutsideData.require("data/igniter/plan_oracle_v100.json"));
    List<Oracle> sets = new ArrayList<>();
    Matcher set = SET.matcher(text.replaceAll("\\s+", ""));
    while (set.find()) {
      sets.add(
          new Oracle(
              set.group("name"),
              services(set.group("workloads")),
              Integer.parseInt(set.group("gpus")),
              plan(set.group("plan"))));
    }
    return sets;
  }

  private static List<Service> services(String text) {
    List<Service> services = new ArrayList<>();
    Matcher workload = WORKLOAD.matcher(text);
    while (workload.find()) {
      services.add(
          Fleets.service(
              String.valueOf(services.size()),
              workload.group("model"),
              Double.parseDouble(workload.group("slo")),
              Double.parseDouble(workload.group("rate"))));
    }
    return services;
  }

  private static String plan(String text) {
    List<String> gpus = new ArrayList<>();
    Matcher gpu = GPU.matcher(text);
    while (gpu.find()) {
      List<String> partitions = new ArrayList<>();
      Matcher partition = PARTITION.matcher(gpu.group(1));
      while (partition.find()) {
        partitions.add(
            partition.group("workload")
                + " b"
                + partition.group("batch")
                + " "
                + Double.parseDouble(partition.group("share")));
      }
      gpus.add(String.join(" + ", partitions));
    }
    return String.join("\n", gpus);
  }
}

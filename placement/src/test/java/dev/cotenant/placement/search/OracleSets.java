package dev.cotenant.placement.search;

import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sets of workloads for which the plans of iGniter's own code are known. */
public final class OracleSets {
  private static final Pattern SET = Pattern.compile("\"workloads\":\\[([^]]*)],\"gpus\":(\\d+)");
  private static final Pattern WORKLOAD =
      Pattern.compile("\"model\":\"(\\w+)\",\"slo_ms\":([\\d.]+),\"rate_qps\":([\\d.]+)");

  private OracleSets() {}

  /** Those with at least so many workloads, on as many V100s as it takes. */
  public static List<Fleet> from(int least) throws IOException {
    String text = Files.readString(OutsideData.require("data/igniter/plan_oracle_v100.json"));
    List<Fleet> fleets = new ArrayList<>();
    Matcher set = SET.matcher(text.replaceAll("\\s+", ""));
    while (set.find()) {
      List<Service> services = new ArrayList<>();
      Matcher workload = WORKLOAD.matcher(set.group(1));
      while (workload.find()) {
        services.add(
            RandomFleets.service(
                String.format("w%03d", services.size()),
                workload.group(1),
                Double.parseDouble(workload.group(2)),
                Double.parseDouble(workload.group(3))));
      }
      if (services.size() >= least) {
        fleets.add(
            new Fleet(
                List.of(RandomFleets.v100(1000)),
                services,
                List.of(),
                List.of(),
                Arrivals.CONSTANT));
      }
    }
    return fleets;
  }
}

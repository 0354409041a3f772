package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.engine.view.DeviceView;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The device catalogue. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = "Lists the GPUs that predictions can be asked for.",
    footer = {"", "v100 and a100 are short for v100-16gb and a100-40gb."})
public final class DevicesCommand implements Runnable {
  private final Console console;

  @Option(names = "--json", description = "One JSON object a line and nothing else.")
  private boolean json;

  public DevicesCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    if (json) {
      DeviceCatalogue.builtIn().devices().forEach(device -> console.json(DeviceView.of(device)));
    } else {
      print();
    }
  }

  private void print() {
    Table table =
        Table.of("id", "product", ">memory", ">fp32 TFLOP/s", ">fp16 TFLOP/s", ">GB/s", ">SMs");
    for (Device device : DeviceCatalogue.builtIn().devices()) {
      table.row(
          device.id().value(),
          device.productName(),
          device.memory().toString(),
          number(device.peak().teraflops(Precision.FP32)),
          number(device.peak().teraflops(Precision.FP16)),
          number(device.bandwidthGigabytesPerSecond()),
          String.valueOf(device.streamingMultiprocessors()));
    }
    table.print(console);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}

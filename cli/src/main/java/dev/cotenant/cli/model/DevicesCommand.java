package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.domain.text.Table;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.engine.view.DeviceView;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Supplier;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The device catalogue. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description = "Lists the GPUs with predictions.",
    footer = {
      "",
      "A driver's product name works like an id: v100, 'NVIDIA A10G', NVIDIA-GeForce-RTX-4090.",
      "Of several memory sizes the smallest is taken.",
      "Your own GPUs: write them as 'devices --csv' shows and name the file with --devices FILE,",
      "and to the service as cotenant.devices.file."
    })
public final class DevicesCommand implements Runnable {
  private final Console console;
  private final Supplier<DeviceCatalogue> catalogue;

  @ArgGroup private Form form = new Form();

  private static final class Form {
    @Option(names = "--json", description = "JSON output, one object per line.")
    private boolean json;

    @Option(names = "--csv", description = "All columns, as --devices reads them.")
    private boolean csv;
  }

  public DevicesCommand(Console console, Supplier<DeviceCatalogue> catalogue) {
    this.console = console;
    this.catalogue = catalogue;
  }

  @Override
  public void run() {
    Collection<Device> devices = catalogue.get().devices();
    if (form.json) {
      devices.forEach(device -> console.json(DeviceView.of(device)));
    } else if (form.csv) {
      DeviceFile.write(devices).forEach(console::line);
    } else {
      print(devices);
    }
  }

  private void print(Collection<Device> devices) {
    new Table<Device>()
        .text("id", device -> device.id().value())
        .text("product", Device::productName)
        .number("memory", device -> device.memory().toString())
        .number("fp32 TFLOP/s", device -> number(device.peak().teraflops(Precision.FP32)))
        .number("fp16 TFLOP/s", device -> number(device.peak().teraflops(Precision.FP16)))
        .number("GB/s", device -> number(device.bandwidthGigabytesPerSecond()))
        .number("SMs", device -> String.valueOf(device.streamingMultiprocessors()))
        .print(devices, console);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}

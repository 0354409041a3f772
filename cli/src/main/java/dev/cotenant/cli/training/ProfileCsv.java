package dev.cotenant.cli.training;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.engine.profile.ProfileRowReader;
import dev.cotenant.engine.profile.ProfileRowReader.RegisteredFeatures;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A plain CSV of measured runs, with the columns of {@code POST /v1/profiles}. */
final class ProfileCsv implements ProfileSource {
  static final String FORMAT = "csv";

  private static final List<String> REQUIRED = List.of("family", "device", "batch_size");

  private final ProfileTable table;
  private final ProfileRowReader reader;

  ProfileCsv(Path file, DeviceCatalogue devices) {
    table = new ProfileTable(new DataFile(file), REQUIRED);
    reader = new ProfileRowReader(devices, RegisteredFeatures.NONE);
  }

  @Override
  public Result read() {
    return table.read(this::profile);
  }

  private ProfileRow profile(DataRow row) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String name : ProfileFields.names()) {
      if (row.has(name)) {
        fields.put(name, row.text(name));
      }
    }
    try {
      return reader.read(fields);
    } catch (InputException e) {
      throw new UnusableRowException(e.getMessage());
    }
  }
}

package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.engine.profile.ProfileRowReader;
import java.io.ByteArrayInputStream;
import java.util.Optional;

/** Measured rows that callers send as CSV; see {@link FuzzOracle}. */
public final class RowsFuzzTarget {
  private static final ProfileRowReader READER =
      new ProfileRowReader(DeviceCatalogue.builtIn(), (_, _) -> Optional.empty());

  private RowsFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    FuzzOracle.check(() ->
        ProfileBody.csv(new ByteArrayInputStream(input))
            .lines()
            .forEach(line -> FuzzOracle.check(() -> READER.read(line.fields()))));
  }
}

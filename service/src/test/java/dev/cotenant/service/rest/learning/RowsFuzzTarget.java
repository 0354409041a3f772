package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.profile.ProfileRowReader;
import java.io.ByteArrayInputStream;
import java.util.Optional;

/**
 * Measured rows that callers send as CSV. Bad input is an InputException; anything else is a
 * finding.
 */
public final class RowsFuzzTarget {
  private static final ProfileRowReader READER =
      new ProfileRowReader(DeviceCatalogue.builtIn(), (_, _) -> Optional.empty());

  private RowsFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    ProfileBody.Rows rows;
    try {
      rows = ProfileBody.csv(new ByteArrayInputStream(input));
    } catch (InputException expected) {
      return;
    }
    for (ProfileBody.Line line : rows.lines()) {
      try {
        READER.read(line.fields());
      } catch (InputException expected) {
        if (String.valueOf(expected.getMessage()).isBlank()) {
          throw new AssertionError("no reason", expected);
        }
      }
    }
  }
}

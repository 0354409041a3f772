package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks an uploaded profile file. */
final class ProfileUpload {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}");
  private static final String BODY = "the body";

  private final DeviceCatalogue devices;
  private final ProfileBook known;

  /**
   * @param known profiles of devices that the upload may rely on
   */
  ProfileUpload(DeviceCatalogue devices, ProfileBook known) {
    this.devices = devices;
    this.known = known;
  }

  /** Whose profiles these are. */
  record Origin(String namespace, String by, Instant at) {
    Stored stored(String kind, String name, String device, String line) {
      return new Stored(namespace, kind, name, device, line, by, at);
    }
  }

  /**
   * Its profiles.
   *
   * @throws InputException ({@code bad-profile}, {@code profile-out-of-range}, {@code
   *     unknown-device}, {@code device-not-profiled}, {@code no-profiles}) naming what is wrong
   */
  List<Stored> read(byte[] bytes, Origin origin) {
    ProfileBook book = ProfileFile.parse(BODY, text(bytes));
    if ((book.devices().isEmpty() && book.workloads().isEmpty()) || !book.served().isEmpty()) {
      throw InputException.malformed(
          "no-profiles",
          book.served().isEmpty()
              ? "The body has no profile: give lines that begin with 'device' or 'workload'."
              : "Lines that begin with 'serve' belong in a plan, not in a profile file.");
    }
    ProfileBook all = book.plus(known);
    List<Stored> stored = new ArrayList<>();
    for (DeviceProfile device : book.devices()) {
      requireListed(device.device());
      stored.add(
          origin.stored("device", device.device(), device.device(), ProfileText.line(device)));
    }
    for (WorkloadProfile workload : book.workloads()) {
      if (!NAME.matcher(workload.name()).matches()) {
        throw InputException.malformed(
            "bad-profile",
            "The name of a profile has 1 to 128 letters, digits and ._:/-, and is that of a"
                + " registered model, such as resnet50.");
      }
      workload.requirePlausible();
      requireListed(workload.device());
      all.requireDevice(workload.device());
      stored.add(
          origin.stored(
              "workload", workload.name(), workload.device(), ProfileText.line(workload)));
    }
    requireDistinct(stored);
    return stored;
  }

  private static void requireDistinct(List<Stored> stored) {
    Set<String> seen = new HashSet<>();
    for (Stored one : stored) {
      if (!seen.add(one.kind() + " " + one.name() + " " + one.device())) {
        throw InputException.malformed(
            "bad-profile",
            "The " + one.kind() + " " + one.name() + " is there twice on " + one.device() + ".");
      }
    }
  }

  private void requireListed(String device) {
    String id = devices.require(device).id().value();
    if (!id.equals(device)) {
      throw InputException.malformed(
          "bad-profile", "The device '" + device + "' is listed as " + id + ": use that name.");
    }
  }

  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "bad-profile", "The body is not UTF-8 text.", e);
    }
  }
}

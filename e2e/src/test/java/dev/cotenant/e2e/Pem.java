package dev.cotenant.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.util.Base64;

/** Keys and certificates in the form in which everybody but Java wants them. */
final class Pem {
  static final String PRIVATE_KEY = "PRIVATE KEY";
  static final String PUBLIC_KEY = "PUBLIC KEY";
  static final String CERTIFICATE = "CERTIFICATE";

  private static final int LINE = 64;

  private Pem() {}

  static void write(Path file, String what, Key key) throws IOException {
    write(file, what, key.getEncoded());
  }

  static void write(Path file, String what, byte[] bytes) throws IOException {
    String body = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
  }
}

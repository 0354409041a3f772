package dev.cotenant.domain.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/** Keys that belong together; with others every handshake fails without saying why. */
public final class KeyPairs {
  private KeyPairs() {}

  /** Whether the certified key verifies a signature of the private key. */
  public static boolean isPair(PrivateKey key, PublicKey certified) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> key.getAlgorithm();
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // keys of different kinds, or of different sizes
    }
  }
}

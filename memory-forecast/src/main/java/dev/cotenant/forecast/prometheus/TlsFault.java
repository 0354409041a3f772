package dev.cotenant.forecast.prometheus;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * Why two sides could not agree on a connection, in words that say what to change.
 *
 * @param words one line, without the server's address
 */
record TlsFault(String words) {
  private static final int MAX_DEPTH = 10;

  /** The fault of TLS that a failure is, or is caused by. */
  static Optional<TlsFault> in(Throwable failure) {
    return chain(failure)
        .filter(SSLException.class::isInstance)
        .findFirst()
        .map(tls -> new TlsFault(words(tls)));
  }

  private static String words(Throwable tls) {
    String said = String.valueOf(tls.getMessage());
    if (has(tls, CertPathBuilderException.class) || has(tls, CertPathValidatorException.class)) {
      return "the server's certificate is not trusted: no configured certificate authority signed"
          + " it, or it has expired: "
          + said;
    }
    if (has(tls, CertificateException.class)) {
      return "the server's certificate is not of this host: " + said;
    }
    if (said.contains("nrecognized SSL message")) { // two wordings of the JDK, by the first byte
      return "speaks no TLS: is it an http:// address?";
    }
    if (said.contains("Received fatal alert")) {
      return "the server broke the TLS handshake off: it wants another client certificate, or"
          + " any: "
          + said;
    }
    return "no TLS connection: " + said;
  }

  private static boolean has(Throwable failure, Class<? extends Throwable> type) {
    return chain(failure).anyMatch(type::isInstance);
  }

  private static Stream<Throwable> chain(Throwable failure) {
    return Stream.iterate(failure, java.util.Objects::nonNull, Throwable::getCause)
        .limit(MAX_DEPTH);
  }
}

package dev.cotenant.service.webhook;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.configuration.ServiceSettings;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.X509TrustManager;
import nl.altindag.ssl.exception.GenericException;
import nl.altindag.ssl.util.TrustManagerUtils;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Certificate authorities of API servers: the certificates of a PEM file, which is read again when
 * it changes. The previous ones stay trusted while the file is unreadable. Safe for use by many
 * threads.
 */
final class ClientAuthority {
  private static final Logger LOG = Logger.getLogger(ClientAuthority.class);

  private final ServiceSettings.Clients settings;
  private volatile Trusted trusted;
  private @Nullable String reported;

  /**
   * The authorities of a file and the last accepted chain: an API server sends the same certificate
   * with every review, and checking its signatures takes longer than reading the review.
   */
  private static final class Trusted {
    private final Set<X509Certificate> authorities;
    private final X509TrustManager manager;
    private volatile @Nullable List<X509Certificate> last;

    private Trusted(Set<X509Certificate> authorities, X509TrustManager manager) {
      this.authorities = authorities;
      this.manager = manager;
    }

    private void require(List<X509Certificate> chain) throws CertificateException {
      if (chain.equals(last)) {
        for (X509Certificate certificate : chain) {
          certificate.checkValidity();
        }
        return;
      }
      String algorithm = chain.getFirst().getPublicKey().getAlgorithm();
      manager.checkClientTrusted(chain.toArray(X509Certificate[]::new), algorithm);
      last = chain;
    }
  }

  /**
   * Reads the file.
   *
   * @throws InputException ({@code broken-client-ca}) where it holds no certificates
   */
  ClientAuthority(ServiceSettings.Clients settings) {
    this.settings = settings;
    trusted = read();
  }

  /**
   * Reason for refusing a client; empty for an accepted one.
   *
   * @param chain its certificate first, then those of its signers; empty without one
   */
  Optional<String> refusal(List<X509Certificate> chain) {
    if (chain.isEmpty()) {
      return Optional.of("no client certificate is presented");
    }
    try {
      trusted.require(chain);
    } catch (CertificateException e) {
      return Optional.of("the client certificate is not valid: " + e.getMessage());
    }
    return settings.names().isEmpty() || settings.names().contains(name(chain.getFirst()))
        ? Optional.empty()
        : Optional.of("the client certificate's common name is not among webhook.client-names");
  }

  /**
   * Reads the file again; not on an event loop.
   *
   * @return whether it could be read
   */
  synchronized boolean look() {
    try {
      Trusted found = read();
      reported = null;
      if (!found.authorities.equals(trusted.authorities)) {
        trusted = found;
        LOG.infof("Webhooks trust the renewed authorities of %s", settings.authority());
      }
      return true;
    } catch (InputException problem) {
      String message = String.valueOf(problem.getMessage());
      if (!message.equals(reported)) {
        LOG.warnf("%s The previous authorities remain trusted.", message);
        reported = message;
      }
      return false;
    }
  }

  private Trusted read() {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(settings.authority()))) {
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (found.isEmpty()) {
        throw new CertificateException("it holds no certificate");
      }
      return new Trusted(Set.copyOf(found), TrustManagerUtils.createTrustManager(found));
    } catch (IOException | CertificateException | GenericException e) {
      String message =
          "cotenant.webhook.client-ca: " + settings.authority() + ": " + e.getMessage() + ".";
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT, "broken-client-ca", message, e);
    }
  }

  /** The one common name; a subject with none or several has no name here. */
  private static String name(X509Certificate certificate) {
    try {
      List<String> names =
          new LdapName(certificate.getSubjectX500Principal().getName())
              .getRdns().stream()
                  .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
                  .map(Rdn::getValue)
                  .map(String::valueOf)
                  .toList();
      return names.size() == 1 ? names.getFirst() : "";
    } catch (InvalidNameException e) {
      return "";
    }
  }
}

package dev.cotenant.service.webhook;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A key and its certificate that can be replaced while a server uses them: every handshake takes
 * what is there when it begins, and connections that stand do not notice.
 *
 * <p>Replacing the options of a running server instead drops the handshakes that meet the moment.
 * An alias carries the number of its certificate, so that a handshake that began with one ends with
 * it.
 */
final class RenewableKey extends X509ExtendedKeyManager {
  private static final char SEPARATOR = ':';

  private record Generation(int number, ServedCertificate certificate) {
    @Nullable String name(@Nullable String alias) {
      return alias == null ? null : number + String.valueOf(SEPARATOR) + alias;
    }
  }

  private volatile Generation current;
  private volatile Generation former;

  RenewableKey(ServedCertificate first) {
    current = new Generation(0, first);
    former = current;
  }

  /** Serves this one from the next handshake on. */
  synchronized void replace(ServedCertificate next) {
    former = current;
    current = new Generation(former.number() + 1, next);
  }

  ServedCertificate served() {
    return current.certificate();
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
    Generation now = current;
    return now.name(now.certificate().keys().chooseEngineServerAlias(keyType, issuers, engine));
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, Socket socket) {
    Generation now = current;
    return now.name(now.certificate().keys().chooseServerAlias(keyType, issuers, socket));
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    Generation now = current;
    String[] aliases = now.certificate().keys().getServerAliases(keyType, issuers);
    return aliases == null
        ? null
        : Stream.of(aliases).map(now::name).map(Objects::requireNonNull).toArray(String[]::new);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return generation(alias).keys().getCertificateChain(own(alias));
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return generation(alias).keys().getPrivateKey(own(alias));
  }

  /** This is a server's. */
  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
    return null;
  }

  private ServedCertificate generation(String alias) {
    Generation before = former;
    return alias.startsWith(before.number() + String.valueOf(SEPARATOR))
        ? before.certificate()
        : current.certificate();
  }

  private static String own(String alias) {
    return alias.substring(alias.indexOf(SEPARATOR) + 1);
  }
}

package dev.cotenant.llm.source;

import java.net.Inet4Address;
import java.net.InetAddress;

/** Which addresses belong to the public network [IANA special-purpose address registries]. */
final class PublicAddresses {
  private PublicAddresses() {}

  static boolean hold(InetAddress address) {
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    return address instanceof Inet4Address ? isPublic4(first, second, bytes) : isPublic6(bytes);
  }

  private static boolean isPublic4(int first, int second, byte[] bytes) {
    boolean shared = first == 100 && (second & 0xc0) == 64;
    boolean benchmark = first == 198 && (second & 0xfe) == 18;
    boolean protocol = first == 192 && second == 0 && bytes[2] == 0;
    return first != 0 && first < 240 && !shared && !benchmark && !protocol;
  }

  /** Global unicast, without 6to4 and Teredo, which carry addresses of version 4. */
  private static boolean isPublic6(byte[] bytes) {
    int head = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    boolean teredo = head == 0x2001 && bytes[2] == 0 && bytes[3] == 0;
    return (head & 0xe000) == 0x2000 && head != 0x2002 && !teredo;
  }
}

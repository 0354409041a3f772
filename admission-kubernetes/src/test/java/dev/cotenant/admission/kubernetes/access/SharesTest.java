package dev.cotenant.admission.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharesTest {
  private final Shares<String, Integer> shares = new Shares<>(4);

  @Test
  void aFloodDropsEntriesOfItsOwnerAlone() {
    shares.put("anna", "a", 1);
    shares.put("bob", "b", 2);
    for (int i = 0; i < 100; i++) {
      shares.put("mallory", "m-" + i, i);
    }

    assertThat(shares.find("a")).isEqualTo(1);
    assertThat(shares.find("b")).isEqualTo(2);
    assertThat(shares.find("m-99")).isEqualTo(99);
    assertThat(shares.find("m-97")).isNull();
  }

  @Test
  void anOwnerUsesWhatOthersDoNot() {
    for (int i = 0; i < 4; i++) {
      shares.put("anna", "a-" + i, i);
    }
    shares.put("bob", "b", 7);

    assertThat(shares.find("a-0")).isNull();
    assertThat(shares.find("a-1")).isEqualTo(1);
    assertThat(shares.find("b")).isEqualTo(7);
  }

  @Test
  void anEntryIsReplacedAndRemoved() {
    shares.put("anna", "k", 1);
    shares.put("bob", "k", 2);
    assertThat(shares.find("k")).isEqualTo(2);

    shares.remove("k");
    shares.remove("k");
    assertThat(shares.find("k")).isNull();
  }
}

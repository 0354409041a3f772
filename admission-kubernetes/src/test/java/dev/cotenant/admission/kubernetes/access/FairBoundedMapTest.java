package dev.cotenant.admission.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FairBoundedMapTest {
  private final FairBoundedMap<String, Integer> map = new FairBoundedMap<>(4);

  @Test
  void aFloodDropsEntriesOfItsOwnerAlone() {
    map.put("anna", "a", 1);
    map.put("bob", "b", 2);
    for (int i = 0; i < 100; i++) {
      map.put("mallory", "m-" + i, i);
    }

    assertThat(map.find("a")).isEqualTo(1);
    assertThat(map.find("b")).isEqualTo(2);
    assertThat(map.find("m-99")).isEqualTo(99);
    assertThat(map.find("m-97")).isNull();
  }

  @Test
  void anOwnerUsesWhatOthersDoNot() {
    for (int i = 0; i < 4; i++) {
      map.put("anna", "a-" + i, i);
    }
    map.put("bob", "b", 7);

    assertThat(map.find("a-0")).isNull();
    assertThat(map.find("a-1")).isEqualTo(1);
    assertThat(map.find("b")).isEqualTo(7);
  }

  @Test
  void anEntryIsReplacedAndRemoved() {
    map.put("anna", "k", 1);
    map.put("bob", "k", 2);
    assertThat(map.find("k")).isEqualTo(2);

    map.remove("k");
    map.remove("k");
    assertThat(map.find("k")).isNull();
  }
}

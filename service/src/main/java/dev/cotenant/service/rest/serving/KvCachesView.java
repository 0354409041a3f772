package dev.cotenant.service.rest.serving;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.serving.KvCacheAdvice;
import dev.cotenant.service.serving.KvCaches.Advised;
import java.util.List;

/** The KV caches that suffice for servers, and why some have none. */
record KvCachesView(
    @JsonProperty("kv_caches") List<KvCacheAdvice> servers,
    @JsonProperty("skipped") List<String> skipped) {
  KvCachesView {
    servers = List.copyOf(servers);
    skipped = List.copyOf(skipped);
  }

  static KvCachesView of(Advised advised) {
    return new KvCachesView(advised.servers(), advised.skipped());
  }
}

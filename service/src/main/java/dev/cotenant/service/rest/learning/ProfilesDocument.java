package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measured runs.
 *
 * @param kind {@code serving} for starts of servers of language models; absent for rows
 * @param namespace of the servers; with rows the one whose predictions alone they move, absent for
 *     all
 * @param starts of servers; absent with rows
 * @param rows each with the fields of a CSV's columns
 */
record ProfilesDocument(
    @JsonProperty("kind") @Nullable String kind,
    @JsonProperty("namespace") @Nullable String namespace,
    @JsonProperty("starts") @Nullable List<@Nullable StartsDocument> starts,
    @JsonProperty("rows") @Nullable List<@Nullable Map<String, JsonNode>> rows) {}

package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measured runs.
 *
 * @param rows each with the fields that a CSV has as columns
 */
record ProfilesDocument(
    @JsonProperty("rows") @Nullable List<@Nullable Map<String, JsonNode>> rows) {}

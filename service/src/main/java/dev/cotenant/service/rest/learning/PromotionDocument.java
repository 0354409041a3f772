package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * Why another version is to serve. The caller is the authenticated one, not a field.
 *
 * @param overrideReason why it is to serve though it did not prove better; absent requires the
 *     proof
 * @param reason of a rollback; recorded
 */
record PromotionDocument(
    @JsonProperty("override_reason") @Nullable String overrideReason,
    @JsonProperty("reason") @Nullable String reason) {}

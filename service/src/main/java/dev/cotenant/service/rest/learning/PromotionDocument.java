package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * Why another version is to serve. Who asks is the authenticated caller, so the document cannot say
 * it.
 *
 * @param overrideReason why it is to serve though it did not prove better; absent asks for the
 *     proof
 * @param reason of a rollback; recorded
 */
record PromotionDocument(
    @JsonProperty("override_reason") @Nullable String overrideReason,
    @JsonProperty("reason") @Nullable String reason) {}

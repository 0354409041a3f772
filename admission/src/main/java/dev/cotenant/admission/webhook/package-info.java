/** The two webhooks: the review of a pod by the mode of its namespace. */
@NullMarked
package dev.cotenant.admission.webhook;

import org.jspecify.annotations.NullMarked;

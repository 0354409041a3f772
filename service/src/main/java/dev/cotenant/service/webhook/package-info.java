/** The admission webhooks on their own HTTPS port. */
@NullMarked
package dev.cotenant.service.webhook;

import org.jspecify.annotations.NullMarked;

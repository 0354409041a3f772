/** Replays over REST. */
@NullMarked
package dev.cotenant.service.rest.replay;

import org.jspecify.annotations.NullMarked;

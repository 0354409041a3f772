/** Replays of the cluster's own history, one at a time. */
@NullMarked
package dev.cotenant.service.replay;

import org.jspecify.annotations.NullMarked;

/** Commands that ask a running service. */
@NullMarked
package dev.cotenant.cli.remote;

import org.jspecify.annotations.NullMarked;

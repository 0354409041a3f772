/** What an installation's own engines show about their memory. */
@NullMarked
package dev.cotenant.cli.learn;

import org.jspecify.annotations.NullMarked;

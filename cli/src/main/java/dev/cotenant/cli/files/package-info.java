/** The files that commands read, and where the project keeps its own. */
@NullMarked
package dev.cotenant.cli.files;

import org.jspecify.annotations.NullMarked;

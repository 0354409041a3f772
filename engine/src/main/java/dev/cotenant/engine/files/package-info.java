/** Files that users name. */
@NullMarked
package dev.cotenant.engine.files;

import org.jspecify.annotations.NullMarked;

/** Commands about models: their features, their predictions, the devices. */
@NullMarked
package dev.cotenant.cli.model;

import org.jspecify.annotations.NullMarked;

/** Commands about data: importing, training, evaluating. */
@NullMarked
package dev.cotenant.cli.training;

import org.jspecify.annotations.NullMarked;

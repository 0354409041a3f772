/** What is to be filled into a pod, or into the pods of a template. */
@NullMarked
package dev.cotenant.admission.fill.plan;

import org.jspecify.annotations.NullMarked;

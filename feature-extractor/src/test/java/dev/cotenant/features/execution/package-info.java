/** Tests and what they write models with. */
package dev.cotenant.features.execution;

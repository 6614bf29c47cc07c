// @ts-check
// The one rule of ours for oxlint: syntax that a selector describes is refused, with the message that says what to write instead.

/**
 * @typedef {{ selector: string, message: string }} Refused
 * @typedef {{ options: readonly Refused[], report(found: { node: unknown, message: string }): void }} Context
 */

const restrictedSyntax = {
  meta: { schema: { type: 'array' } },
  /** @param {Context} context */
  create: (context) =>
    Object.fromEntries(
      context.options.map(({ selector, message }) => [
        selector,
        /** @param {unknown} node */
        (node) => context.report({ node, message }),
      ]),
    ),
};

// oxlint takes the default export.
export default { meta: { name: 'weft' }, rules: { 'restricted-syntax': restrictedSyntax } };

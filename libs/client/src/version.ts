/** That of package.json: `npm version` writes it here (tools/spread-version.mjs). */
export const VERSION = '1.1.0';

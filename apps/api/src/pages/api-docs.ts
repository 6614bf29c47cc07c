import { createRequire } from 'node:module';
import { packFile, type PackedFile } from './packed-file.js';
import { CLOSED, hashOf } from './page-policy.js';

/** All tags are collapsed, because there are many operations. The validator is off: it would send the document to another site. */
const SCRIPT = `
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const STYLE = `
body { margin: 0; background: #fff; }
#reference .info { margin: 2rem 0 1rem; }
`;

/** The reference of the API: Swagger UI over our own description. */
export const API_DOCS_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weft API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<style>${STYLE}</style>
<div id="reference"></div>
<noscript><p>This page needs JavaScript. <a href="openapi.json">The OpenAPI document</a> says the same.</p></noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script>${SCRIPT}</script>
</html>
`;

/** Scripts, styles and requests of this server only; small images are embedded in the style sheet. */
export const API_DOCS_POLICY = [
  `default-src 'none'; script-src 'self' ${hashOf(SCRIPT)}; style-src 'self' ${hashOf(STYLE)}`,
  `img-src 'self' data:; connect-src 'self'; ${CLOSED}`,
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const files = new Map<string, Promise<PackedFile>>();

/** A file that the page loads; null for any other name. */
export function docsFile(name: string): Promise<PackedFile> | null {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return null;
  const known = files.get(name) ?? packFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), type);
  files.set(name, known);
  return known;
}

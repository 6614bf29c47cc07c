/** The types of the HTTP API: `npm run docs` writes them from the OpenAPI document. */
export type { components, operations, paths } from './api-types.js';

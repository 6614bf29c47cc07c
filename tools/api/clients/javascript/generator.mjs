/** What `npm run check:clients` gives @hey-api/openapi-ts: Node runs what it makes as it is. */
export default { output: { path: 'weft', module: { extension: '.ts' } } };

// @ts-check
// `npm run docs`: writes the reference pages from the catalogues, the schema of flow documents from its shape, the types of the API from its description, and what the doctor knows of this release. Specs compare the pages with the catalogues.
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { setUp } from '../setup/set-up.mjs';
import { errorsPage } from './errors-page.mjs';
import { eventsPage } from './events-page.mjs';
import { metricsPage } from './metrics-page.mjs';
import { envExample, settingsPage } from './settings-page.mjs';
import { source } from './typescript-sources.mjs';

const { CLOSE_REASONS, EVENTS } = await source('contracts/src/event-catalog');
const { CLOSE } = await source('contracts/src/frames');
const { CATALOG } = await source('config/src/catalog');

const { ERRORS } = await source('kernel/src/errors');
const { flowDocumentJsonSchema } = await source('shapes/src/flow-document');
const { formBounds } = await source('shapes/src/form-bounds');
const { layerOptionsJsonSchema } = await source('shapes/src/layer');
const { METRICS, METRIC_PREFIX } = await source('observability/src/metrics/catalog');

const SETTINGS = 'docs/reference/configuration.md';

/** @type {readonly (readonly [page: string, markdown: string])[]} */
const PAGES = [
  ['docs/reference/errors.md', errorsPage(ERRORS)],
  ['docs/reference/events.md', eventsPage({ events: EVENTS, closeCodes: CLOSE, closeReasons: CLOSE_REASONS })],
  ['docs/reference/metrics.md', metricsPage(METRICS, METRIC_PREFIX)],
  [SETTINGS, settingsPage(await readFile(place(SETTINGS), 'utf8'), CATALOG)],
];

for (const [name, markdown] of PAGES) {
  await write(name, await format(markdown, { ...(await resolveConfig(place(name))), parser: 'markdown' }));
}
await write('.env.example', envExample(CATALOG));
await writeJson('docs/reference/weft.flow-1.schema.json', flowDocumentJsonSchema());
await writeJson('apps/dashboard/src/editor/layer-options.json', layerOptionsJsonSchema());
await writeJson('apps/dashboard/src/ui/bounds.json', formBounds());
await setUp();
const { writeApiTypes } = await import('./api-types.mjs');
await writeApiTypes();
console.log('libs/client/src/api-types.ts');
const { writeReleases } = await import('./releases-file.mjs');
await writeReleases();
console.log('apps/standalone/src/doctor/upgrade/releases.ts');

/** @param {string} name */
function place(name) {
  return new URL(`../../${name}`, import.meta.url);
}

/** @param {string} name @param {object} value */
async function writeJson(name, value) {
  await write(name, `${JSON.stringify(value, null, 2)}\n`);
}

/** @param {string} name @param {string} text */
async function write(name, text) {
  await writeFile(place(name), text);
  console.log(name);
}

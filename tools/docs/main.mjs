// @ts-check
// `npm run docs`: writes the reference pages that are made from catalogues. Specs hold the pages against them.
import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { eventsPage } from './events-page.mjs';

/** Node runs TypeScript that has only types in it; the compiler wants its names to end in `.js`. @param {string} file */
const source = (file) => import(new URL(`../../libs/${file}.ts`, import.meta.url).href);

const { CLOSE_REASONS, EVENTS } = await source('contracts/src/event-catalog');
const { CLOSE } = await source('contracts/src/frames');

/** @type {readonly (readonly [page: string, markdown: string])[]} */
const PAGES = [['events.md', eventsPage({ events: EVENTS, closeCodes: CLOSE, closeReasons: CLOSE_REASONS })]];

for (const [name, markdown] of PAGES) {
  const file = new URL(`../../docs/reference/${name}`, import.meta.url);
  await writeFile(file, await format(markdown, { ...(await resolveConfig(file)), parser: 'markdown' }));
  console.log(file.pathname);
}

import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Weft } from '@weft/client';
import type { Command } from 'commander';
import { zipSync } from 'fflate';
import { readInput } from '../io/ask.js';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';
import { overlayCommand } from './api-overlay.js';

const ASK_AGAIN_MS = 500;
/** A larger document is uploaded. */
const MAX_PASTED_BYTES = 900_000;
const MAX_BYTES = 16 * 1024 * 1024;

export function apiCommands(program: Command, cli: Cli): void {
  const apis = program.command('apis').description('services by their OpenAPI documents');
  apis.command('list').description('all APIs of your company').action(cli.whileRead(list));
  apis
    .command('get <api>')
    .description('one of them by its id or key: where it is, and which links its operations ask for')
    .addHelpText('after', examples('weft apis get orders', 'weft apis get orders --json'))
    .action(cli.whileRead(show));
  apis
    .command('import <source>')
    .description(
      'the operations of a document: its address, a file, a folder or archive with its parts, or - for the input',
    )
    .option('--name <name>', 'what people call it; left out: the key, or the end of the source')
    .option('-k, --key <key>', 'what layers may name it by')
    .option('--link <id>', 'integration link with which the address is fetched')
    .option('--base-url <address>', 'in place of the servers of the document')
    .addHelpText(
      'after',
      examples(
        'weft apis import https://api.example.com/openapi.json --key orders',
        'weft apis import openapi.yaml --name "Orders of the shop"',
        'weft apis import ./openapi --key orders',
      ),
    )
    .action(cli.signedIn(importApi));
  apis
    .command('refresh <api>')
    .description('import the document anew; by its id or its key')
    .option('--source <source>', 'another document: its address, a file, a folder or archive, or - for the input')
    .option('--dry-run', 'only compare')
    .addHelpText(
      'after',
      examples('weft apis refresh orders --dry-run', 'weft apis refresh orders --source openapi.yaml'),
    )
    .action(cli.signedIn(refresh));
  apis
    .command('diff <api>')
    .description('what the last refresh has found, and which flows it concerns')
    .option('--adopt', 'have these flows call the operations as they are now')
    .addHelpText('after', examples('weft apis diff orders', 'weft apis diff orders --adopt'))
    .action(
      cli.signedIn((session, api: string, options: { adopt?: boolean }) =>
        diffOf(session, session.weft.apis, api, options),
      ),
    );
  overlayCommand(apis, cli);
}

async function list({ weft, terminal }: Session): Promise<void> {
  await terminal.rows(weft.apis.list({ size: 200 }), [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'KEY', of: ({ key }) => key },
    { title: 'NAME', of: ({ name }) => name, colour: () => 'bold' },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => (state === 'failed' ? 'red' : null) },
    { title: 'OPERATIONS', of: ({ operations }) => operations },
    { title: 'VERSION', of: ({ version }) => version },
    { title: 'IMPORTED', of: ({ importedAt }) => importedAt },
  ]);
}

type Api = Awaited<ReturnType<Session['weft']['apis']['get']>>;

async function show({ weft, terminal }: Session, name: string): Promise<void> {
  const api = await weft.apis.get(name);
  if (terminal.isJson) return terminal.line(toJson(api));
  const { id, key, state, fault, operations, integrationId, baseUrl, servers } = api;
  const [first] = servers.flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
  const facts: readonly (readonly [string, string | number | null | undefined])[] = [
    ['id', id],
    ['key', key],
    ['name', api.name],
    ['state', fault === null ? state : `${state}: ${fault}`],
    ['operations', operations],
    ['server', baseUrl ?? first],
    ['link', integrationId],
  ];
  for (const [fact, value] of facts) {
    if (value !== null && value !== undefined) terminal.line(`${fact.padEnd(12)}${clean(String(value))}`);
  }
  for (const line of neededBy(api)) terminal.line(line);
}

/** What somebody gives to make one of the links that the operations ask for. */
function neededBy({ security }: Api): string[] {
  return security.map(({ schemes, kind, endpoint, settings, scopes }) => {
    const set = Object.entries(settings).map(
      ([name, value]) => `${name} ${typeof value === 'string' ? value : toJson(value)}`,
    );
    const parts = [
      `a link of the kind ${kind}${endpoint === null ? '' : ` at ${endpoint}`}`,
      ...set,
      ...(scopes.length > 0 ? [`scopes ${scopes.join(' ')}`] : []),
    ];
    return `${'asks for'.padEnd(12)}${clean(parts.join(', '))} (${clean(schemes.join(' and '))})`;
  });
}

interface ImportOptions {
  readonly name?: string;
  readonly key?: string;
  readonly link?: string;
  readonly baseUrl?: string;
}

async function importApi(session: Session, given: string, options: ImportOptions): Promise<void> {
  const { name = options.key ?? endOf(given), key, link: integrationId, baseUrl } = options;
  const source = await sourceOf(session, given);
  const { id } = await session.weft.apis.create({ name, key, integrationId, baseUrl, source });
  await settle(session, session.weft.apis, id);
}

interface RefreshOptions {
  readonly source?: string;
  readonly dryRun?: boolean;
}

async function refresh(
  session: Session,
  api: string,
  { source: given, dryRun = false }: RefreshOptions,
): Promise<void> {
  const source = given === undefined ? undefined : await sourceOf(session, given);
  const { id } = await session.weft.apis.refresh(api, { dryRun, ...(source && { source }) });
  await settle(session, session.weft.apis, id, !dryRun);
  await showDiff(session, session.weft.apis, id);
}

/** APIs, or MCP servers. */
export type Services = Weft['apis'] | Weft['mcpServers'];

export async function diffOf(
  session: Session,
  services: Services,
  api: string,
  { adopt = false }: { adopt?: boolean },
): Promise<void> {
  const flows = await showDiff(session, services, api);
  if (!adopt || flows.length === 0) return;
  let refused = 0;
  for (let at = 0; at < flows.length; at += 50) {
    const { items } = await services.adopt(api, flows.slice(at, at + 50));
    for (const { flowId, result, version, message } of items) {
      session.terminal.say(
        `${clean(flowId)} ${result}${version === null ? '' : `, version ${version}`}${message ? `: ${clean(message)}` : ''}`,
      );
      if (result === 'refused') refused += 1;
    }
  }
  if (refused > 0) throw new Exit(EXIT.failed, `${refused} of ${flows.length} flows stay as they were.`);
}

/** Waits until the import has ended. @throws Exit when it has failed */
export async function settle(
  { terminal, signal }: Session,
  services: Services,
  id: string,
  isShown = true,
  noun = 'operations',
): Promise<void> {
  for (;;) {
    const api = await services.get(id);
    if (api.state === 'failed') throw new Exit(EXIT.failed, clean(api.fault ?? 'The import has failed.'));
    if (api.state === 'ready') {
      if (!isShown) return;
      if (terminal.isJson) return terminal.line(toJson(api));
      const { operations = 0, skippedCount = 0, warningsCount = 0, skipped = [] } = api.report ?? {};
      terminal.say(`${operations} ${noun}, ${skippedCount} skipped, ${warningsCount} warnings`);
      for (const { path, reason } of skipped) terminal.say(`  ${clean(path)} ${clean(reason)}`);
      if ('security' in api && api.integrationId === null) for (const line of neededBy(api)) terminal.say(line);
      return terminal.line(clean(api.id));
    }
    await pause(ASK_AGAIN_MS, undefined, { signal });
  }
}

/** @returns the flows that it concerns */
export async function showDiff({ terminal }: Session, services: Services, api: string): Promise<string[]> {
  const found = await services.diff(api);
  const flowIds = found.flows.map(({ flowId }) => flowId);
  if (terminal.isJson) {
    terminal.line(toJson(found));
    return flowIds;
  }
  if (!found.refresh) {
    terminal.say('It was never refreshed.');
    return [];
  }
  const { added, removed, changed, breaking } = found.refresh.counts;
  terminal.say(`${added} added, ${removed} removed, ${breaking} breaking, ${changed} changed`);
  const rows = found.flows.flatMap(({ flowId, name, layers }) => layers.map((layer) => ({ flowId, name, ...layer })));
  await terminal.rows(rows, [
    { title: 'FLOW', of: ({ flowId }) => flowId, whole: true },
    { title: 'NAME', of: ({ name }) => name, colour: () => 'bold' },
    { title: 'LAYER', of: ({ ref }) => ref },
    { title: 'OPERATION', of: ({ operation }) => operation },
    { title: 'RESULT', of: ({ result }) => result, colour: ({ result }) => (result === 'changed' ? null : 'red') },
    {
      title: 'CHANGES',
      of: ({ changes }) =>
        changes
          .filter(({ breaks }) => breaks)
          .map(({ place, path, what }) => `${place}.${path} ${what}`)
          .join(', '),
    },
  ]);
  return flowIds;
}

/** An address, or a document that is sent along; one in a folder or an archive is uploaded. */
async function sourceOf({ weft, terminal }: Session, given: string) {
  if (/^https?:\/\//i.test(given)) return { url: given };
  const bytes = given === '-' ? Buffer.from(await readInput(terminal)) : fileAt(given);
  if (bytes.byteLength > MAX_BYTES)
    throw new Exit(EXIT.usage, `The document has ${bytes.byteLength} bytes; ${MAX_BYTES} are allowed.`);
  const isText = isUtf8(bytes) && !bytes.includes(0);
  if (isText && bytes.byteLength <= MAX_PASTED_BYTES) return { document: bytes.toString() };
  const { $ref } = await weft.files.upload(new Uint8Array(bytes), { filename: endOf(given) });
  return { payload: { $ref } };
}

function fileAt(path: string): Buffer {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return packed(path);
    if (found.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path);
  } catch (error) {
    throw new Exit(EXIT.usage, `${clean(path)} cannot be read: ${(error as Error).message}`);
  }
}

/** The files in JSON and YAML of a folder, without hidden ones and packages. */
function packed(folder: string): Buffer {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|ya?ml)$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|[\\/])(\.|node_modules[\\/])/.test(path));
  if (paths.length === 0) throw new Error('it has no files in JSON or YAML');
  return Buffer.from(zipSync(Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]))));
}

function endOf(source: string): string {
  return (
    source
      .replace(/[?#].*$/, '')
      .split('/')
      .filter((part) => part !== '')
      .at(-1)
      ?.slice(0, 200) ?? source
  );
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import { packFile, type PackedFile } from './packed-file.js';
import { CLOSED } from './page-policy.js';

/** What `apps/dashboard/vite.config.ts` writes where the nonce of an answer belongs. */
const NONCE = /__WEFT_NONCE__/g;

/** First words of paths that are the service's own. Everything else that a browser opens is the dashboard's. */
const SERVICE = 'api|ws|hooks|auth|health|metrics|mcp|approve|assets|socket\\.io|\\..*';
const PAGE = new RegExp(`^/(?!(${SERVICE})(/|$))(?!/)[\\w.~:@-]*(/[\\w.~:@-]+)*$`);

/** True for what a person may open with a browser; the caller has checked that nothing else answers there. */
export function isDashboard(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && PAGE.test(path) && indexPage() !== null;
}

/** The same page at every address: it has nothing of the request in it, and its own script decides what to show. */
export function sendDashboard(reply: FastifyReply): void {
  const nonce = randomBytes(18).toString('base64');
  void reply
    .status(200)
    .header('content-security-policy', policyWith(nonce))
    .header('referrer-policy', 'no-referrer')
    .header('content-type', 'text/html; charset=utf-8')
    .send(indexPage()?.replace(NONCE, nonce));
}

/** Scripts and requests of this server only. The kit adds style elements while it runs: they carry the nonce. */
function policyWith(nonce: string): string {
  return [
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'`,
    `connect-src 'self'; worker-src 'self'; manifest-src 'self'; ${CLOSED}`,
  ].join('; ');
}

let index: string | null | undefined;

/** Null where only the services were built, as by `nest build`. */
function indexPage(): string | null {
  if (index === undefined) {
    const path = join(folder(), 'index.html');
    index = existsSync(path) ? readFileSync(path, 'utf8') : null;
  }
  return index;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** What vite calls a file: its name has the digest of its content, so it never changes. */
const ASSET = /^[\w-]+(\.[\w-]+)*\.[a-z\d]+$/;

const assets = new Map<string, Promise<PackedFile>>();

/** A file of the dashboard; null when no file has this name. */
export function assetFile(name: string): Promise<PackedFile> | null {
  const type = TYPES[extname(name)];
  const path = join(folder(), 'assets', name);
  if (type === undefined || !ASSET.test(name)) return null;
  const known = assets.get(name) ?? (existsSync(path) ? packFile(path, type) : null);
  if (known) assets.set(name, known);
  return known;
}

/** `dist/apps/dashboard`, from the built API and from its sources. */
function folder(): string {
  return (found ??= findFolder(dirname(fileURLToPath(import.meta.url))));
}

let found: string | undefined;

function findFolder(here: string): string {
  let root = here;
  while (!existsSync(join(root, 'package.json')) && root !== dirname(root)) root = dirname(root);
  return join(root, 'dist', 'apps', 'dashboard');
}

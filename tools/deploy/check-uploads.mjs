// Whether files of the size that the API takes can reach it through the shipped routes and the sample of nginx, and sockets stay open.
import { readFile } from 'node:fs/promises';
import { inRoot } from '../setup/root.mjs';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */

const LIMIT = inRoot('apps', 'api', 'src', 'payloads', 'uploads.service.ts');
const SAMPLE = inRoot('docs', 'deploy', 'README.md');
const PATHS = ['/api/v1/payloads', '/api/payloads'];
const SOCKETS = ['/ws', '/api/ws', '/socket.io'];
/** 64 MB at 150 kbit/s. */
const UPLOAD_LIMIT = '1h';

/** @returns {Promise<string>} the largest upload, in words of nginx */
async function largestUpload() {
  const [, megabytes] = /MAX_UPLOAD_BYTES = (\d+) \* 1024 \* 1024;/.exec(await readFile(LIMIT, 'utf8')) ?? [];
  if (megabytes === undefined) throw new Error(`${LIMIT} does not say how large an upload may be`);
  return `${megabytes}m`;
}

/**
 * @param {readonly Manifest[]} manifests of one overlay
 * @returns {Promise<string[]>} what keeps uploads from the API
 */
export async function uploadFaults(manifests) {
  const size = await largestUpload();
  const sample = await readFile(SAMPLE, 'utf8');
  const location = /location ~ \^\/api\/\(v1\/\)\?payloads[^}]*}/.exec(sample)?.[0] ?? '';
  return [
    ...PATHS.filter((path) => limitOf(path, manifests) !== UPLOAD_LIMIT).map((path) => `${path} ends slow uploads`),
    ...SOCKETS.filter((path) => limitOf(path, manifests) !== '0s').map((path) => `${path} ends sockets`),
    ...(location.includes(`client_max_body_size ${size};`) && location.includes('proxy_request_buffering off;')
      ? []
      : [`${SAMPLE}: the sample of nginx does not let uploads of ${size} through as they come`]),
  ];
}

/**
 * The time limit of requests to this path.
 * @param {string} path
 * @param {readonly Manifest[]} manifests
 * @returns {string | undefined}
 */
function limitOf(path, manifests) {
  const rules = manifests.filter(({ kind }) => kind === 'HTTPRoute').flatMap(({ spec }) => spec.rules);
  const rule = rules.find(({ matches = [] }) => matches.some((/** @type {any} */ match) => match.path.value === path));
  return rule?.timeouts?.request;
}

// Whether files of the size that the API takes can reach it through the shipped Ingress and the sample of nginx.
import { readFile } from 'node:fs/promises';
import { inRoot } from '../setup/root.mjs';

/** @typedef {import('./manifests.mjs').Manifest} Manifest */

const LIMIT = inRoot('apps', 'api', 'src', 'payloads', 'uploads.service.ts');
const SAMPLE = inRoot('docs', 'deploy', 'README.md');
const PATHS = ['/api/v1/payloads', '/api/payloads'];
const ANNOTATION = 'nginx.ingress.kubernetes.io/proxy-';

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
    ...PATHS.flatMap((path) => {
      const annotations = routeTo(path, manifests)?.metadata.annotations ?? {};
      return [
        ...(annotations[`${ANNOTATION}body-size`] === size ? [] : [`${path} does not let uploads of ${size} through`]),
        ...(annotations[`${ANNOTATION}request-buffering`] === 'off' ? [] : [`${path} buffers uploads`]),
      ];
    }),
    ...(location.includes(`client_max_body_size ${size};`) && location.includes('proxy_request_buffering off;')
      ? []
      : [`${SAMPLE}: the sample of nginx does not let uploads of ${size} through as they come`]),
  ];
}

/**
 * @param {string} path
 * @param {readonly Manifest[]} manifests
 */
function routeTo(path, manifests) {
  return manifests.find(
    ({ kind, spec }) =>
      kind === 'Ingress' &&
      spec.rules.some((/** @type {any} */ { http }) =>
        http.paths.some((/** @type {any} */ route) => route.path === path),
      ),
  );
}

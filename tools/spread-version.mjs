// `npm version <version> --no-git-tag-version` runs it: writes the version of package.json everywhere else where it is repeated.
import { readFile, writeFile } from 'node:fs/promises';
import { inRoot } from './setup/root.mjs';

/**
 * Each file that repeats it, and where. npm itself writes package-lock.json; processes read package.json.
 * @type {readonly (readonly [file: string, place: RegExp])[]}
 */
export const REPEATED = [
  ['libs/client/package.json', /(?<="version": ")[^"]+/],
  ['libs/client/src/version.ts', /(?<=VERSION = ')[^']+/],
  ['Dockerfile', /(?<=^ARG WEFT_VERSION=).+/m],
  ['k8s/overlays/prod/kustomization.yaml', /(?<=newTag: ).+/],
];

if (import.meta.main) {
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  for (const [file, place] of REPEATED) {
    const text = await readFile(inRoot(file), 'utf8');
    if (!place.test(text))
      throw new Error(`${file} does not name the version where tools/spread-version.mjs expects it`);
    await writeFile(inRoot(file), text.replace(place, version));
  }
}

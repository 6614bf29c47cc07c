// The Dockerfile by hadolint, and the compose file against the schema of the Compose specification.
import { Ajv } from 'ajv';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';

const DOCKERFILE = 'Dockerfile';
const COMPOSE = 'docker-compose.yml';
/** The version of compose-go from which it is: v2.16.2. */
const COMPOSE_SCHEMA = ['k8s', 'schemas', 'compose-spec.json'];

/**
 * @param {string} hadolint
 * @returns {Promise<string[]>} what is wrong
 */
export async function imageFaults(hadolint) {
  const missing = [DOCKERFILE, COMPOSE].filter((file) => !existsSync(inRoot(file)));
  if (missing.length > 0) return missing.map((file) => `${file} is missing`);
  const linted = await run(hadolint, [DOCKERFILE], { cwd: inRoot() });
  return [...(linted.code === 0 ? [] : [linted.output.trim()]), ...(await composeFaults())];
}

async function composeFaults() {
  const { $schema: _draft, ...schema } = JSON.parse(await readFile(inRoot(...COMPOSE_SCHEMA), 'utf8'));
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  if (validate(parse(await readFile(inRoot(COMPOSE), 'utf8'), { merge: true }))) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const unknown = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${COMPOSE}${instancePath} ${message}${unknown}`;
  });
}

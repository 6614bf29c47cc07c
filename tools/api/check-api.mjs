// `npm run check:api [-- --seconds 90 --seed 1]`: whether the API does what its description says. schemathesis
// makes requests from it, good and bad ones, with keys of three scopes, and compares the answers with it. It needs python3, and the network for its first run.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { become } from '../setup/run.mjs';
import { say } from '../setup/say.mjs';
import { setUp } from '../setup/set-up.mjs';
import { giveUp } from '../setup/trouble.mjs';
import { findPythonTool } from './foreign-tools.mjs';
import { withTemporaryWeft } from './temporary-weft.mjs';

/** @param {string} name @param {string} otherwise */
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
};
const SECONDS = Number(option('seconds', '90'));
const SEED = option('seed', '20261124');
const CONFIG = inRoot('tools', 'api', 'schemathesis.toml');

/**
 * The description with the codes of each refusal in its schema, where generators of clients would make types of them.
 * @param {any} description
 */
function narrowed(description) {
  for (const answer of Object.values(description.components.responses)) {
    const codes = answer['x-problem-codes'];
    const [body] = codes ? Object.values(answer.content) : [];
    if (body) body.schema = { allOf: [body.schema, { properties: { code: { enum: codes } } }] };
  }
  return description;
}

/**
 * What the description itself names, all of it; then what comes to mind, for a time.
 * @param {number} seconds for each key
 */
const passes = (seconds) => [
  ['--phases', 'examples,coverage'],
  ['--phases', 'fuzzing,stateful', '--max-time', String(seconds)],
];

try {
  await setUp();
  const command = join(await findPythonTool({ name: 'schemathesis', version: '4.32.0' }), 'st');
  await withTemporaryWeft(async ({ url, keys, folder }) => {
    const description = join(folder, 'openapi.json');
    const served = await fetch(`${url}/api/openapi.json`);
    await writeFile(description, JSON.stringify(narrowed(await served.json())));
    for (const key of keys) {
      say(`comparing the API with its description, with a key of scope ${key.scope}`);
      const env = { ...process.env, WEFT_TOKEN: key.token };
      const always = ['--config-file', CONFIG, 'run', description, '--url', url, '--seed', SEED];
      for (const pass of passes(Math.ceil(SECONDS / keys.length))) {
        const code = await become(command, [...always, ...pass], { env, cwd: folder });
        if (code !== 0) process.exitCode = 1;
      }
    }
  });
} catch (error) {
  giveUp(error);
}

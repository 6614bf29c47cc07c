// `npm run check:api [-- --seconds 90 --seed 1]`: whether the API does what its description says. openapi-python-client makes
// a client of the description, with every operation. schemathesis makes requests from it, good and bad ones, with keys of three
// scopes, and compares the answers with it. It needs python3, and the network for its first run.
import { join } from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { become } from '../setup/run.mjs';
import { say } from '../setup/say.mjs';
import { setUp } from '../setup/set-up.mjs';
import { giveUp } from '../setup/trouble.mjs';
import { findPythonTool, PYTHON_CLIENT, SCHEMATHESIS } from './python-tools.mjs';
import { withTemporaryWeft } from './temporary-weft.mjs';

/** @param {string} name @param {string} otherwise */
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
};
const SECONDS = Number(option('seconds', '90'));
const SEED = option('seed', '20261124');
const CONFIG = inRoot('tools', 'api', 'schemathesis.toml');
const CLIENT_CONFIG = inRoot('tools', 'api', 'python-client.yml');

/**
 * Whether a client can be made of the description: a warning is an operation that is left out, or a part of one.
 * @param {string} command
 * @param {string} url
 * @param {string} folder
 */
async function makeClient(command, url, folder) {
  say('making a client in Python of the description');
  const into = ['--output-path', join(folder, 'python-client')];
  const args = [
    'generate',
    '--url',
    `${url}/api/openapi.json`,
    '--config',
    CLIENT_CONFIG,
    ...into,
    '--fail-on-warning',
  ];
  return (await become(command, args, { env: process.env, cwd: folder })) === 0;
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
  const generator = await findPythonTool(PYTHON_CLIENT, process.env);
  const command = await findPythonTool(SCHEMATHESIS, process.env);
  await withTemporaryWeft(async ({ url, keys, folder }) => {
    if (!(await makeClient(generator, url, folder))) process.exitCode = 1;
    for (const key of keys) {
      say(`comparing the API with its description, with a key of scope ${key.scope}`);
      const env = { ...process.env, WEFT_TOKEN: key.token };
      const always = ['--config-file', CONFIG, 'run', `${url}/api/openapi.json`, '--seed', SEED];
      for (const pass of passes(Math.ceil(SECONDS / keys.length))) {
        const code = await become(command, [...always, ...pass], { env, cwd: folder });
        if (code !== 0) process.exitCode = 1;
      }
    }
  });
} catch (error) {
  giveUp(error);
}

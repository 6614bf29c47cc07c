// `npm run check:clients`: three foreign generators make clients of the API's description, in Python, Go and JavaScript, and a program
// in each language lists, runs, triggers, uploads and is refused by its client. It needs python3 and go, and the network for its first run.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot, NODE24 } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';
import { say, step } from '../setup/say.mjs';
import { setUp } from '../setup/set-up.mjs';
import { giveUp, Trouble, troubleFrom } from '../setup/trouble.mjs';
import { findGoTool, findNodeTool, findPythonTool } from './foreign-tools.mjs';
import { withTemporaryWeft } from './temporary-weft.mjs';

/**
 * @typedef {readonly [command: string, ...args: string[]]} Command
 * @typedef {{ language: string, prepare: (description: string) => Promise<readonly Command[]> }} Client the commands make the client,
 *   and then call by it; they run in a copy of the language's folder in `clients`
 */

/** @type {readonly Client[]} */
const CLIENTS = [
  {
    language: 'python',
    prepare: async (description) => {
      const bin = await findPythonTool({ name: 'openapi-python-client', version: '0.29.1' });
      const generate = ['generate', '--url', description, '--config', 'generator.yml', '--output-path', 'made'];
      return [
        // a warning is an operation that is left out, or a part of one
        [join(bin, 'openapi-python-client'), ...generate, '--fail-on-warning'],
        ['cp', '-r', 'made/weft_client', '.'],
        [join(bin, 'python'), 'call.py'],
      ];
    },
  },
  {
    language: 'go',
    prepare: async (description) => {
      const generator = await findGoTool('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', 'v2.8.2');
      const generate = ['-generate', 'types,client', '-package', 'weft', '-o', 'weft/weft.go'];
      return [
        ['mkdir', 'weft'],
        [generator, ...generate, description],
        ['go', 'run', '.'],
      ];
    },
  },
  {
    language: 'javascript',
    prepare: async (description) => {
      const modules = await findNodeTool({ name: '@hey-api/openapi-ts', version: '0.99.0' }, [
        'typescript',
        '@types/node',
      ]);
      const generate = ['--input', description, '--file', 'generator.mjs'];
      return [
        ['ln', '-s', modules, 'node_modules'],
        [NODE24, 'node_modules/@hey-api/openapi-ts/bin/run.js', ...generate],
        [NODE24, 'node_modules/typescript/bin/tsc', '-p', '.'],
        [NODE24, 'call.ts'],
      ];
    },
  },
];

/**
 * @param {Client} client
 * @param {{ url: string, folder: string, keys: readonly { token: string }[] }} weft
 */
async function check({ language, prepare }, { url, folder, keys }) {
  const commands = await prepare(`${url}/api/openapi.json`);
  const cwd = join(folder, language);
  await cp(inRoot('tools', 'api', 'clients', language), cwd, { recursive: true });
  const env = { ...process.env, WEFT_URL: url, WEFT_TOKEN: keys[0]?.token };
  await step(`a client in ${language}`, async () => {
    for (const [command, ...args] of commands) {
      const { code, output } = await run(command, args, { cwd, env });
      if (code === 127) throw new Trouble(`${command} was not found.`, `Install ${command}: the check needs it.`);
      if (code !== 0) throw troubleFrom([command, ...args].join(' '), output);
    }
  });
}

try {
  await setUp();
  await withTemporaryWeft(async (weft) => {
    for (const client of CLIENTS) await check(client, weft);
  });
  say('clients of three generators call Weft as it is described');
} catch (error) {
  giveUp(error);
}

// `npm run doctor [-- --json] [--upgrade-from <version>]`: checks what the manual (docs/deploy) asks for, from the machine of a process
// and with its settings; with a version, also what an upgrade from it to this build needs. It changes nothing and prints no secret.
// Exit code: 0 all is well, 1 warnings, 2 errors.
import { parseArgs } from 'node:util';
import { explain, Trouble } from '#tools/setup/trouble.mjs';
import { SettingsError } from '@weft/config';
import { examine, failed } from './doctor/examine.js';
import { error, exitCodeOf, type Finding } from './doctor/finding.js';
import { withSettings } from './on-installation.js';

const USAGE = 'npm run doctor [-- --json] [--upgrade-from <version>]';
const values = readArgs();
const MARKS = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' } as const;

/** Of connections, which nobody awaited: what was asked for over them fails by itself. */
const stray: Finding[] = [];
process.on('uncaughtException', (cause) => void stray.push(failed('doctor', cause)));

function readArgs() {
  const options = { json: { type: 'boolean', default: false }, 'upgrade-from': { type: 'string' } } as const;
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    explain(new Trouble((cause as Error).message, USAGE));
    process.exit(2);
  }
}

function tell(findings: readonly Finding[]): void {
  process.exitCode = exitCodeOf(findings);
  if (values.json)
    return void process.stdout.write(`${JSON.stringify({ exitCode: process.exitCode, findings }, null, 2)}\n`);
  for (const { check, severity, says, advice } of findings) {
    process.stdout.write(`${MARKS[severity]} ${check}: ${says}${advice ? `\n        ${advice}` : ''}\n`);
  }
}

try {
  await withSettings(async (settings) => {
    const found = await examine(settings, process.env, values['upgrade-from']);
    tell([...found, ...stray]);
  });
} catch (cause) {
  if (cause instanceof SettingsError) tell([error('settings', cause.message, 'docs/reference/configuration.md')]);
  else if (cause instanceof Trouble) tell([error('doctor', cause.message, 'Nothing else was examined.')]);
  else tell([failed('doctor', cause)]);
}

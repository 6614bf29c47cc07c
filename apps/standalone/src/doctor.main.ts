// `npm run doctor [-- --json] [--upgrade-from <version>]`: checks what the manual (docs/deploy) asks for, from the machine of a process
// and with its settings; with a version, also what an upgrade from it to this build needs. It changes nothing and prints no secret.
// Exit code: 0 all is well, 1 warnings, 2 errors.
import { parseArgs } from 'node:util';
import { sayWhy } from '@weft/observability';
import { explain, Trouble } from '#tools/setup/trouble.mjs';
import { readConfigFile, SettingsError, withConfigFile, type Settings } from '@weft/config';
import { clientCertificate } from './doctor/certificates.js';
import { checkEgress } from './doctor/check-egress.js';
import { checkMongo } from './doctor/check-mongo.js';
import { checkPublicAddress } from './doctor/check-public-address.js';
import { checkRedis } from './doctor/check-redis.js';
import { error, exitCodeOf, type Finding } from './doctor/finding.js';
import { UpgradeCheck } from './doctor/upgrade/check-upgrade.js';
import { withSettings } from './on-installation.js';

const USAGE = 'npm run doctor [-- --json] [--upgrade-from <version>]';
const values = readArgs();
const MARKS = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' } as const;

/** Of connections, which nobody awaited: what was asked for over them fails by itself. */
const stray: Finding[] = [];
process.on('uncaughtException', (cause) => void stray.push(failed('doctor', cause)));

async function examine(settings: Settings): Promise<readonly Finding[]> {
  const env = withConfigFile(process.env, readConfigFile(process.env));
  const from = values['upgrade-from'];
  const upgrade = from === undefined ? null : new UpgradeCheck(from, settings, env);
  const checks = {
    upgrade: Promise.resolve(upgrade?.ofRelease() ?? []),
    mongodb: checkMongo(settings, upgrade),
    redis: checkRedis(settings),
    certificates: clientCertificates(settings),
    public: checkPublicAddress(settings),
    egress: checkEgress(settings, process.env),
  };
  const found = Object.entries(checks).map(([name, check]) => check.catch((cause: unknown) => [failed(name, cause)]));
  return [...(await Promise.all(found)).flat(), ...stray];
}

async function clientCertificates({ mongodb, redis }: Settings): Promise<readonly Finding[]> {
  const ofStore = (store: string, uri: string) => clientCertificate(`${store}.client_certificate`, uri);
  return [...ofStore('mongodb', mongodb.uri), ...ofStore('redis', redis.url)];
}

function readArgs() {
  const options = { json: { type: 'boolean', default: false }, 'upgrade-from': { type: 'string' } } as const;
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    explain(new Trouble((cause as Error).message, USAGE));
    process.exit(2);
  }
}

function failed(check: string, cause: unknown): Finding {
  return error(check, `This could not be examined: ${sayWhy(cause)}.`, 'docs/deploy/troubleshooting.md#stores');
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
  await withSettings(async (settings) => tell(await examine(settings)));
} catch (cause) {
  if (cause instanceof SettingsError) tell([error('settings', cause.message, 'docs/reference/configuration.md')]);
  else if (cause instanceof Trouble) tell([error('doctor', cause.message, 'Nothing else was examined.')]);
  else tell([failed('doctor', cause)]);
}

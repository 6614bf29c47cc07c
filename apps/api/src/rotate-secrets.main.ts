// `npm run secrets:rotate`: seals every stored secret again under the present ENC_KEY_SECRET. It takes the same settings as
// every process, with the old secret in ENC_KEY_SECRET_PREVIOUS, runs beside them, and can be stopped and started again.
// With `-- --lost` the old secret is not known any more: processes start again, and what only it opened stays unreadable.
import { processSettings, SettingsError } from '@weft/config';
import { ForeignSecrets, InstallationSecrets, rotateSecrets, SecretBox } from '@weft/identity';
import { deriveAuditKey, ensureIndexes, Mongo } from '@weft/persistence';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns exit code */
async function rotate(isLost: boolean): Promise<number> {
  const settings = processSettings({ standalone: false });
  const { uri, db } = settings.mongodb;
  const { encKeySecret, envKeySalt } = settings.secrets;
  const auditKey = deriveAuditKey(encKeySecret, envKeySalt);
  const mongo = await Mongo.open({ uri, db, appName: 'weft-rotate-secrets', auditKey });
  try {
    await ensureIndexes(mongo);
    const installation = new InstallationSecrets(mongo, settings.secrets);
    if (isLost) await installation.takeOver();
    else await installation.assertOurs();
    const reports = await rotateSecrets(mongo, new SecretBox(settings.secrets));
    for (const { collection, resealed, current, unreadable } of reports) {
      say(`${collection}: ${resealed} sealed again, ${current} were current, ${unreadable.length} unreadable`);
      for (const fault of unreadable) say(`  ${fault}`);
    }
    const isComplete = reports.every(({ unreadable }) => unreadable.length === 0);
    if (isComplete) await installation.forgetEarlier();
    if (isLost)
      say('Processes start with the present secrets. What is unreadable has to be entered anew; API keys, too.');
    else
      say(
        isComplete
          ? 'Done: only API keys from before still need ENC_KEY_SECRET_PREVIOUS.'
          : 'Not done: some secrets are under a key that is not given.',
      );
    return isComplete ? 0 : 1;
  } finally {
    await mongo.close();
  }
}

try {
  process.exitCode = await rotate(process.argv.includes('--lost'));
} catch (error) {
  const isSaid = error instanceof SettingsError || error instanceof ForeignSecrets;
  process.stderr.write(`${isSaid ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

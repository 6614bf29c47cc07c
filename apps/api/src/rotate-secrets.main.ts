// `npm run secrets:rotate`: seals every stored secret again under the present ENC_KEY_SECRET. It takes the same settings as
// every process, with the old secret in ENC_KEY_SECRET_PREVIOUS, runs beside them, and can be stopped and started again.
import { processSettings, SettingsError } from '@weft/config';
import { rotateSecrets, SecretBox } from '@weft/identity';
import { Mongo } from '@weft/persistence';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns exit code */
async function rotate(): Promise<number> {
  const settings = processSettings({ standalone: false });
  const { uri, db } = settings.mongodb;
  const mongo = await Mongo.open({ uri, db, appName: 'weft-rotate-secrets' });
  try {
    const reports = await rotateSecrets(mongo, new SecretBox(settings.secrets));
    for (const { collection, resealed, current, unreadable } of reports) {
      say(`${collection}: ${resealed} sealed again, ${current} were current, ${unreadable.length} unreadable`);
      for (const fault of unreadable) say(`  ${fault}`);
    }
    const isComplete = reports.every(({ unreadable }) => unreadable.length === 0);
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
  process.exitCode = await rotate();
} catch (error) {
  process.stderr.write(`${error instanceof SettingsError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

// `npm run secrets:rotate`: seals every stored secret again under the present ENC_KEY_SECRET. It takes the same settings as
// every process, with the old secret in ENC_KEY_SECRET_PREVIOUS, runs in parallel with them, and can be stopped and started again.
// For a stopped standalone app, it starts the database itself.
// With `-- --lost`, the old secret is declared lost: processes can start again, and data that only it opens stays unreadable.
import { InstallationSecrets, rotateSecrets, SecretBox } from '@weft/identity';
import { onInstallation, type Installation } from './on-installation.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns exit code */
async function rotate({ mongo, settings }: Installation, isLost: boolean): Promise<number> {
  const installation = new InstallationSecrets(mongo, settings.secrets);
  if (isLost) await installation.takeOver();
  else await installation.assertOurs();
  const reports = await rotateSecrets(mongo, new SecretBox(settings.secrets));
  for (const { collection, resealed, current, unreadable } of reports) {
    print(`${collection}: ${resealed} sealed again, ${current} were current, ${unreadable.length} unreadable`);
    for (const fault of unreadable) print(`  ${fault}`);
  }
  const isComplete = reports.every(({ unreadable }) => unreadable.length === 0);
  if (isComplete) await installation.forgetEarlier();
  if (isLost)
    print('Processes start with the present secrets. What is unreadable has to be entered anew; API keys, too.');
  else
    print(
      isComplete
        ? 'Done: only API keys from before still need ENC_KEY_SECRET_PREVIOUS.'
        : 'Not done: some secrets are under a key that is not given.',
    );
  return isComplete ? 0 : 1;
}

await onInstallation('rotate-secrets', async (installation) => {
  process.exitCode = await rotate(installation, process.argv.includes('--lost'));
});

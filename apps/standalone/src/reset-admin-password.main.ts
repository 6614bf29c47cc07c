// `npm run admin:reset-password [-- <e-mail>]`: sets a new password for an operator and prints it. It uses the settings of the
// processes; for a stopped standalone app, it starts the database itself.
import { InstallationSecrets, NoSuchOperator, resetOperatorPassword } from '@weft/identity';
import { Trouble } from '#tools/setup/trouble.mjs';
import { onInstallation, type Installation } from './on-installation.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function reset({ mongo, settings, folder }: Installation, email: string | null): Promise<void> {
  // an entry that is signed with another key would look like tampering
  await new InstallationSecrets(mongo, settings.secrets).assertOurs();
  const given = await resetOperatorPassword(mongo, email, new Date()).catch((error: unknown) => {
    throw error instanceof NoSuchOperator ? new Trouble(error.message, '') : error;
  });
  const { email: address, password, left } = given;
  print(`${address} signs in with the password ${password} from now on. All sessions of this account have ended.`);
  print('Change it after signing in: POST /api/v1/auth/password.');
  const [ties, keys] = [left.identities.length, left.keys.length];
  if (ties + keys > 0) print(`Besides, ${ties} accounts at identity providers and ${keys} API keys open this account.`);
  if (folder?.recall().login?.email === address) folder.remember({ login: { email: address, password } });
}

await onInstallation('reset-admin-password', (installation) => reset(installation, process.argv[2] ?? null));

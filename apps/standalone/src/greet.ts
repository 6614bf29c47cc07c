import type { Settings } from '@weft/config';
import { describeDefaults } from '@weft/retention';
import type { DataFolder } from './data-folder.js';
import type { Login } from './environment.js';

interface Greeting {
  readonly url: string;
  readonly settings: Settings;
  readonly login: Login;
  readonly folder: DataFolder;
  readonly seconds: number;
}

/** What a person needs to continue. */
export function greet({ url, settings, login, folder, seconds }: Greeting): void {
  // A user knows a password that they set; a generated one must be printed.
  const isOurs = folder.recall().login?.password === login.password;
  const lines = [
    `Weft is ready after ${seconds.toFixed(1)} s.`,
    `  address  ${url}   API ${url}/api/v1, described at ${url}/api/docs`,
    `  login    ${login.email}   password ${isOurs ? login.password : 'as in WEFT_ADMIN_PASSWORD'}`,
    `  data     ${folder.path}   (databases, secrets, logs)`,
    ...(settings.session.cookieSecure
      ? []
      : ['  note     on loopback the session cookie also travels over plain http']),
    ...deletions(settings),
    '  stop     Ctrl-C',
  ];
  console.log(`\n${lines.join('\n')}\n`);
}

/** Defaults that nobody configured, so they are always printed. */
function deletions({ retention }: Settings): readonly string[] {
  const phrases = describeDefaults(retention.defaults);
  const pairs = phrases.flatMap((phrase, i) => (i % 2 === 0 ? [[phrase, phrases[i + 1]].filter(Boolean)] : []));
  return [
    '  deletes  by default, where a company has no policy of its own (docs/retention.md):',
    ...pairs.map((pair) => `           ${pair.join(' · ')}`),
  ];
}

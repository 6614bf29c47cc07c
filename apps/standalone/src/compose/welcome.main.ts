// The service `welcome` of docker-compose.yml: prints what a person needs to continue.
import { processSettings, SettingsError } from '@weft/config';
import type { FlowView } from '@weft/contracts';
import { parseArgs } from 'node:util';
import { giveUp, Trouble } from '#tools/setup/trouble.mjs';
import { DemoApi, DemoRefused } from '../demo/demo-api.js';

const FLOW = 'Demo: say hello';
const TEMPLATE = 'Hello {{ $prev.args.name }}!';
const UNAUTHORIZED = 401;
/** The longest that the printed command waits for the outcome of its run. */
const WAIT_MS = 20_000;

interface Login {
  readonly email: string;
  readonly password: string;
}

/** @param at where this process reaches the API; people reach it at `apiUrl` */
async function welcome(at: string, apiUrl: string, login: Login): Promise<readonly string[]> {
  const head = ['Weft is ready.', `  address  ${apiUrl}   API ${apiUrl}/api/v1, described at ${apiUrl}/api/docs`];
  const api = await signIn(at, login);
  if (api === null) return [...head, `  login    ${login.email}, whose first password was changed`];
  const flow = await ensureFlow(api);
  await api.signOut();
  return [
    ...head,
    `  login    ${login.email}   password ${login.password}   (until you change it)`,
    '  run      this runs a flow and shows its outcome; the file jar then contains your session:',
    command(apiUrl, login, flow.id),
  ];
}

/** Null when the password is no longer the first one. */
async function signIn(at: string, login: Login): Promise<DemoApi | null> {
  try {
    return await DemoApi.signIn(at, login);
  } catch (error) {
    if (error instanceof DemoRefused && error.status === UNAUTHORIZED) return null;
    throw error;
  }
}

/** Found by its name: a user may have changed or deleted it. */
async function ensureFlow(api: DemoApi): Promise<FlowView> {
  const { items } = await api.call<{ items: readonly FlowView[] }>(
    'GET',
    `/api/v1/flows?q=${encodeURIComponent(FLOW)}`,
  );
  const known = items.find(({ name }) => name === FLOW);
  if (known !== undefined) return known;
  const flow = await api.call<FlowView>('POST', '/api/v1/flows', { name: FLOW, category: 'demo' });
  const layer = { ref: 'greet', appId: 'text-template', args: { template: TEMPLATE } };
  await api.call('POST', `/api/v1/flows/${flow.id}/layers`, layer);
  return flow;
}

/** One line: logs put the name of the service before each. */
function command(apiUrl: string, { email, password }: Login, flowId: string): string {
  const post = (path: string, body: object, jar: string): string =>
    `curl -s${jar} jar ${apiUrl}/api/v1${path} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
  const run = { args: { name: 'world' }, wait: WAIT_MS };
  return `${post('/auth/login', { email, password }, 'c')} && ${post(`/flows/${flowId}/run`, run, 'b')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\\''`)}'`;

try {
  const { at } = parseArgs({ options: { at: { type: 'string' } } }).values;
  const { admin, server } = processSettings({ standalone: false });
  if (at === undefined || admin.password === null) throw new Trouble('--at and WEFT_ADMIN_PASSWORD are needed.', '');
  const lines = await welcome(at, server.apiUrl, {
    email: admin.email ?? 'admin@weft.local',
    password: admin.password,
  });
  console.log(lines.join('\n'));
} catch (error) {
  giveUp(error instanceof SettingsError ? new Trouble(error.message, '') : error);
}

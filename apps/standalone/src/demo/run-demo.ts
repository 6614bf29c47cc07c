import { setTimeout as pause } from 'node:timers/promises';
import { isFinal, type PlayLayerView, type PlayView } from '@weft/contracts';
import { DemoApi, DemoRefused } from './demo-api.js';
import { ensureDemoFlow } from './demo-flow.js';

export interface DemoOptions {
  readonly apiUrl: string;
  readonly targetUrl: string;
  readonly login: { readonly email: string; readonly password: string };
  readonly flowId: string | null;
  /** Called with the flow's id as soon as the flow exists. */
  readonly remember: (flowId: string) => void;
  readonly print: (line: string) => void;
}

const DONE_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 10;
const SHOWN_CHARACTERS = 160;

/**
 * Runs the demo flow through the HTTP API and prints the result.
 * @returns false when it did not get to DONE; what is wrong is printed
 */
export async function runDemo({ apiUrl, targetUrl, login, flowId, remember, print }: DemoOptions): Promise<boolean> {
  let api: DemoApi;
  try {
    api = await DemoApi.signIn(apiUrl, login);
  } catch (error) {
    if (!(error instanceof DemoRefused)) throw error;
    print(
      `The demo was not run: ${login.email} cannot sign in with the password that this app knows (it was changed, or the`,
    );
    print(
      'database is an older one). All else works; set WEFT_ADMIN_EMAIL and WEFT_ADMIN_PASSWORD to run the demo as another admin.',
    );
    return false;
  }
  try {
    const flow = await ensureDemoFlow(api, targetUrl, flowId);
    remember(flow.id);
    const run = { args: { name: 'Weft' } };
    const { playId } = await api.call<{ playId: string }>('POST', `/api/v1/flows/${flow.id}/run`, run);
    const play = await awaitEnd(api, playId);
    const layers = await api.call<readonly PlayLayerView[]>('GET', `/api/v1/plays/${playId}/layers`);
    print(`flow "${flow.name}", play ${playId}`);
    for (const layer of layers) print(describe(layer));
    const why = play.error === null ? '' : ` (${play.error.code}: ${play.error.message})`;
    print(`${play.state} in ${play.duration ?? '?'} ms${why}`);
    return play.state === 'DONE';
  } finally {
    await api.signOut();
  }
}

async function awaitEnd(api: DemoApi, playId: string): Promise<PlayView> {
  const deadline = performance.now() + DONE_WITHIN_MS;
  for (;;) {
    const play = await api.call<PlayView>('GET', `/api/v1/plays/${playId}`);
    if (isFinal(play.state) || performance.now() > deadline) return play;
    await pause(LOOK_EVERY_MS);
  }
}

function describe({ ref, appId, state, out, error }: PlayLayerView): string {
  const shown = JSON.stringify(error ?? out) ?? 'null';
  const text = shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
  return `  ${ref.padEnd(8)} ${appId.padEnd(14)} ${state.padEnd(5)} ${text}`;
}

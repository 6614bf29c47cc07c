import type { Command } from 'commander';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Cli, Session } from '../session/cli.js';
import { isExposed } from '../session/contexts.js';

/** What is found good, or what is wrong and what to do. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const CLOCK_MOST_MS = 120_000;
const SOCKET_MS = 5_000;

export function doctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('whether this command reaches Weft, what its key opens, and what is wrong')
    .action(cli.signedIn(doctor));
}

async function doctor(session: Session): Promise<void> {
  let isWell = true;
  for (const check of [checkFile, checkReach, checkKey, checkFeed, checkSocket]) {
    const finding = await check(session);
    const { terminal, signal } = session;
    signal.throwIfAborted();
    isWell &&= finding.ok;
    if (terminal.isJson) terminal.line(toJson(finding));
    else
      terminal.line(
        `${terminal.paint(finding.ok ? 'green' : 'red', finding.ok ? 'ok  ' : 'fail')}  ${finding.check}: ${clean(finding.detail)}`,
      );
  }
  if (!isWell) throw new Exit(EXIT.failed);
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function checkFile({ env }: Session): Promise<Finding> {
  const exposed = isExposed(env);
  return {
    check: 'file of contexts',
    ok: !exposed,
    detail: exposed ? 'others on this machine can read it: chmod 600' : 'only you can read it',
  };
}

async function checkReach({ weft, url }: Session): Promise<Finding> {
  const check = 'address';
  try {
    const { data, response } = await weft.api.GET('/health');
    const offMs = Date.now() - Date.parse(response.headers.get('date') ?? '');
    if (Math.abs(offMs) > CLOCK_MOST_MS)
      return { check, ok: false, detail: `the clocks differ by ${Math.round(offMs / 1_000)} s` };
    if (!data) return { check, ok: false, detail: `${url} answers ${response.status}` };
    return { check, ok: data.status === 'healthy', detail: `${url}, version ${data.version}, ${data.status}` };
  } catch (error) {
    return { check, ok: false, detail: `${url}: ${reasonOf(error)}` };
  }
}

async function checkKey({ weft }: Session): Promise<Finding> {
  const check = 'key';
  try {
    const { data, error } = await weft.api.GET('/api/v1/auth/me');
    if (!data) return { check, ok: false, detail: `${error.detail}; weft login stores another` };
    return {
      check,
      ok: true,
      detail: `${data.user.email}, ${data.roles.join(', ')}, scope ${data.scopes.join(', ')}, until ${data.expires_at}`,
    };
  } catch (error) {
    return { check, ok: false, detail: reasonOf(error) };
  }
}

async function checkFeed({ weft }: Session): Promise<Finding> {
  const check = 'change feed';
  try {
    await weft.changes.now({ timeoutMs: SOCKET_MS });
    return { check, ok: true, detail: 'it can be read' };
  } catch (error) {
    return { check, ok: false, detail: reasonOf(error) };
  }
}

/** A stream of a play that there is not: a gateway says 404 to the upgrade; through a proxy that does not forward, nothing opens either. */
async function checkSocket({ weft, signal }: Session): Promise<Finding> {
  const check = 'live streams';
  try {
    const [play] = await weft.plays.list({ size: 1 }).take(1);
    if (!play) return { check, ok: true, detail: 'there is no play yet to watch' };
    let cut: string | null = null;
    const within = AbortSignal.any([signal, AbortSignal.timeout(SOCKET_MS)]);
    for await (const frame of weft.plays.watch(play.id, { signal: within, onCut: (why) => (cut ??= why) })) {
      if (frame) break;
    }
    return cut === null
      ? { check, ok: true, detail: 'sockets come through' }
      : {
          check,
          ok: false,
          detail: `${String(cut)}; plays are read by requests instead. Proxies must forward Upgrade, or set WEFT_STREAM_URL`,
        };
  } catch (error) {
    return { check, ok: false, detail: reasonOf(error) };
  }
}

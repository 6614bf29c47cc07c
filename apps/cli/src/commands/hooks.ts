import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isWeftError, type Change, type Play } from '@weft/client';
import { EVENT_OF_STATE } from '@weft/shapes';
import type { Command } from 'commander';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit, interruption } from '../io/exit.js';
import { examples } from '../io/options.js';
import type { Terminal } from '../io/terminal.js';
import type { Cli, Session } from '../session/cli.js';

/** The events of webhooks that follow from a change of a play: docs/webhooks.md. */
const EVENTS: Readonly<Record<string, string>> = EVENT_OF_STATE;
const ATTEMPT_MS = 20_000;
const ASK_AGAIN_MS = 1_000;
const PREFIX = 'whsec_';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly events?: string;
}

export function hookCommands(program: Command, cli: Cli): void {
  const hooks = program.command('hooks').description('webhooks on your own machine');
  hooks
    .command('listen')
    .description('send what a webhook would be sent to a receiver on this machine, without a tunnel')
    .option(
      '-t, --forward-to <address>',
      'localhost:8080, or a URL; left out: the events are only written to the output',
    )
    .option('-e, --events <types>', `only these, with commas: ${Object.values(EVENTS).join(', ')}`)
    .addHelpText(
      'after',
      examples(
        'weft hooks listen --forward-to localhost:8080/weft',
        'weft hooks listen --events play.failed --json | jq .data.error',
        'WEFT_WEBHOOK_SECRET=whsec_… weft hooks listen -t localhost:8080    # signs with the secret of your receiver',
      ),
    )
    .action(cli.whileRead(listen));
}

async function listen(session: Session, { forwardTo, events }: ListenOptions): Promise<void> {
  const { weft, terminal, env, signal } = session;
  const target = forwardTo === undefined ? null : addressOf(forwardTo);
  const wanted = events?.split(',') ?? Object.values(EVENTS);
  const unknown = wanted.find((type) => !Object.values(EVENTS).includes(type));
  if (unknown !== undefined)
    throw new Exit(
      EXIT.usage,
      `There is no event ${clean(unknown)} here.`,
      `There are ${Object.values(EVENTS).join(', ')}.`,
    );
  const shown = env.WEFT_WEBHOOK_SECRET || PREFIX + randomBytes(32).toString('base64');
  const secret = keyOf(shown);
  const cursor = await weft.changes.now();
  if (target && !env.WEFT_WEBHOOK_SECRET) terminal.say(`the signing secret of this command: ${shown}`);
  terminal.say(target ? `listening; events go to ${target}` : 'listening');
  const follow = {
    cursor,
    signal,
    types: ['play_state_change' as const],
    onCut: (why: string) => sayCut(terminal, why),
  };
  try {
    for await (const change of weft.changes.follow(follow)) {
      const type = EVENTS[change.state ?? ''];
      if (type === undefined || !wanted.includes(type)) continue;
      const play = await readPlay(session, change.playId);
      if (play === null) continue;
      const body = toBody(type, change, play, session.url);
      if (target === null || terminal.isJson) terminal.line(body);
      if (target !== null)
        await forward(terminal, target, { id: `cli_${change.playId}_${change.seq}`, type, body, secret, signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw interruption(signal);
  }
}

/** What is signed with: the bytes of a secret of Standard Webhooks, with or without its prefix. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!/^[A-Za-z0-9+/]{4,}={0,2}$/.test(text))
    throw new Exit(
      EXIT.usage,
      'WEFT_WEBHOOK_SECRET is not a secret that this command can sign with.',
      'whsec_, and base64',
    );
  return Buffer.from(text, 'base64');
}

/** Null when it was deleted meanwhile, or may not be read any more. It waits for the end of an outage, as the feed does. */
async function readPlay({ weft, terminal, signal }: Session, playId: string): Promise<Play | null> {
  for (;;) {
    try {
      return await weft.plays.get(playId, { signal });
    } catch (error) {
      if (isWeftError(error, 'not_found', 'denied')) return null;
      if (!isWeftError(error) || !error.isRetryable) throw error;
      sayCut(terminal, error.message);
    }
    await pause(ASK_AGAIN_MS, undefined, { signal });
  }
}

function sayCut(terminal: Terminal, why: string): void {
  terminal.say(`${clean(why)} Trying again …`);
}

function addressOf(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (url === null || url.username || url.password) throw new Exit(EXIT.usage, `"${clean(text)}" is not an address.`);
  return url.href;
}

function toBody(type: string, change: Change, play: Play, base: string): string {
  const { playId, flowId, seq, state, timestamp } = change;
  const { startedAt, completedAt, duration, error, labels } = play;
  const url = new URL(`/api/v1/plays/${playId}`, base).href;
  return toJson({
    type,
    timestamp,
    data: { playId, flowId, seq, state, startedAt, completedAt, duration, error, labels, url },
  });
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly secret: Buffer;
  readonly signal: AbortSignal;
}

/** Once: somebody is at the screen, and sees what the receiver answers. */
async function forward(
  terminal: Terminal,
  target: string,
  { id, type, body, secret, signal }: Delivery,
): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const startedAt = performance.now();
  const answer = await fetch(target, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]),
  }).catch((error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.message);
  signal.throwIfAborted();
  const result = typeof answer === 'string' ? clean(answer) : String(answer.status);
  const isGood = typeof answer !== 'string' && answer.ok;
  if (typeof answer !== 'string') await answer.body?.cancel();
  terminal.say(
    `${terminal.tint(isGood ? 'green' : 'red', result)} ${type} ${id} ${Math.round(performance.now() - startedAt)} ms`,
  );
}

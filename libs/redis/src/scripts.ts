import { readFileSync } from 'node:fs';
import { Batch } from './batch.js';
import type { Redis } from './redis.js';
import type { ScriptCall, ScriptName, ScriptReply } from './script-types.js';

/** Read once, when the process starts: a process without its scripts does not start. */
export const LUA: Readonly<Record<ScriptName, string>> = {
  takeRoom: lua('take-room'),
  beginLogin: lua('begin-login'),
  endLogin: lua('end-login'),
  takeDelivery: lua('take-delivery'),
  takeCall: lua('take-call'),
  claimConnections: lua('claim-connections'),
  publishConnections: lua('publish-connections'),
};

type Command = `weft:${ScriptName}`;
type Run<T> = Record<Command, (...args: readonly (string | number)[]) => T>;

/** Runs the product's Lua scripts over one connection for commands. Redis is sent the text of each once a connection. */
export class Scripts {
  private readonly redis: Redis & Run<Promise<unknown>>;

  constructor(redis: Redis) {
    for (const [name, text] of Object.entries(LUA)) {
      const command = commandOf(name as ScriptName);
      if (!(command in redis)) redis.defineCommand(command, { lua: text });
    }
    this.redis = redis as Redis & Run<Promise<unknown>>;
  }

  async one<N extends ScriptName>(name: N, { keys, args }: ScriptCall<N>): Promise<ScriptReply<N>> {
    return (await this.redis[commandOf(name)](keys.length, ...keys, ...args)) as ScriptReply<N>;
  }

  /**
   * Makes all calls in one round trip; in a cluster each call has its keys in one hash slot. A call that fails does not affect the replies to the others.
   *
   * @returns the reply to each call; an Error where it failed
   * @throws when all of them failed
   */
  async each<N extends ScriptName>(
    name: N,
    calls: readonly ScriptCall<N>[],
  ): Promise<readonly (ScriptReply<N> | Error)[]> {
    const [first] = calls;
    if (first === undefined) return [];
    if (calls.length === 1) return [await this.one(name, first)];
    const batch = new Batch(this.redis);
    for (const { keys, args } of calls) {
      const pipeline = batch.of(keys[0] ?? '') as ReturnType<Batch['of']> & Run<unknown>;
      pipeline[commandOf(name)](keys.length, ...keys, ...args);
    }
    const answers = await batch.replies();
    const replies = answers.map(([error, reply]): ScriptReply<N> | Error => error ?? (reply as ScriptReply<N>));
    const fault = replies.every((reply) => reply instanceof Error) ? replies[0] : null;
    if (fault instanceof Error) throw fault;
    return replies;
  }
}

/** The name of a script among the methods of a connection. */
function commandOf(name: ScriptName): Command {
  return `weft:${name}`;
}

function lua(file: string): string {
  return readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8');
}

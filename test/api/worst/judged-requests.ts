/** Checks the answers to requests that are meant to cost much work. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { heldBy, type Held } from './loop-holds.js';
import type { Shot } from './worst-rows.js';

/** What requests are compared with: none may occupy the event loop for longer at once than `most` of these together. */
export interface Floor {
  readonly what: string;
  readonly most: number;
  readonly ms: number;
}

/** So long may a request hold the event loop, in ordinary ones. */
export const MOST_ORDINARY = 75;
/** A longer turn is measured this many times and the shortest counts, because garbage collection may happen in any turn. */
const LOOKS = 3;
/** Ordinary ones that are sent together, to know what they take now. */
const ORDINARY = 8;
/** They are sent again after this many groups of others, and before a request is said to hold the loop. */
const GROUPS = 12;
/** The first ones are compiled meanwhile: they take several times as long. */
const FIRST = 40;
/** Of the answer of a refusal, in bytes. */
const LONGEST_REFUSAL = 100_000;
/** They call somebody who is not there: a worker, an MCP server. */
const UNSERVED = /\/(layers\/try|mcp-servers\/[^/]+\/authorize)(\?|$)/;

export interface NamedRequest {
  readonly what: string;
  /** Makes it anew each time that it is sent. */
  readonly make: () => Promise<Shot> | Shot;
}

interface Outcome extends Held {
  readonly status: number;
  readonly bytes: number;
}

/** @param session gives the cookie of a new one */
export class JudgedRequests {
  private ordinarySumMs = 0;
  private ordinaryCount = 0;
  private ordinaryMs = 0;
  private groups = 0;

  constructor(
    private readonly app: Pick<NestFastifyApplication, 'inject'>,
    private readonly session: () => Promise<string>,
  ) {}

  /**
   * Sends them one after the other, and says of each what is wrong.
   *
   * @param requests gets the status of each answer, and may go on by it
   */
  async faultsOf(requests: Iterator<NamedRequest, void, number>, given?: Floor): Promise<string[]> {
    const cookie = await this.session();
    if (this.groups % GROUPS === 0) await this.sendOrdinary(cookie);
    this.groups += 1;
    const { what: floor, most } = given ?? { what: 'ordinary requests', most: MOST_ORDINARY };
    const faults = new Set<string>();
    for (let next = requests.next(0); !next.done;) {
      const { what, make } = next.value;
      let [least, answered] = [Infinity, 0];
      for (let look = 0; look < LOOKS && least > most; look += 1) {
        const shot = await make();
        // some of them end the session that asks
        const asking = shot.path.includes('/auth/') ? await this.session() : cookie;
        const { longestMs, status, bytes } = await this.answerTo(shot, asking);
        if (!given && longestMs / this.ordinaryMs > most) await this.sendOrdinary(cookie);
        least = Math.min(least, longestMs / (given?.ms ?? this.ordinaryMs));
        answered = status;
        if (status >= 500 && !(status === 503 && UNSERVED.test(shot.path))) faults.add(`${what}: answered ${status}`);
        if (status >= 400 && bytes > LONGEST_REFUSAL) faults.add(`${what}: refused with ${bytes} bytes`);
      }
      if (least > most) faults.add(`${what}: held the loop as long as ${least.toFixed(1)} ${floor} take`);
      next = requests.next(answered);
    }
    return [...faults];
  }

  /** The cost of an ordinary request on this machine now, in milliseconds of processor time; the system counts in coarse steps. */
  private async sendOrdinary(cookie: string): Promise<void> {
    const shot = { method: 'POST', path: '/api/v1/flows', text: '{"name":"ordinary"}' };
    if (this.ordinaryCount === 0) for (let i = 0; i < FIRST; i += 1) await this.answerTo(shot, cookie);
    let sum = 0;
    for (let i = 0; i < ORDINARY; i += 1) sum += (await this.answerTo(shot, cookie)).allMs;
    this.ordinarySumMs += sum;
    this.ordinaryCount += ORDINARY;
    this.ordinaryMs = Math.max(sum / ORDINARY, this.ordinarySumMs / this.ordinaryCount);
  }

  private async answerTo({ method, path, text }: Shot, cookie: string): Promise<Outcome> {
    const headers = { cookie, ...(text !== undefined && { 'content-type': 'application/json' }) };
    let [status, bytes] = [0, 0];
    const held = await heldBy(async () => {
      const answer = await this.app.inject({ method: method as 'GET', url: path, headers, payload: text });
      [status, bytes] = [answer.statusCode, answer.rawPayload.length];
    });
    return { ...held, status, bytes };
  }
}

/** Bounds what the calls of this process hold in memory at once: bodies of answers, and the results of loops (ADR 106). */
import { BytesSemaphore, type BytesPermit } from '@weft/concurrency';
import type { EgressResponse } from '@weft/egress';
import { LayerFailure } from '../layer-module.js';
import { throwPlayLost } from '../call/failure.js';
import type { LayerCall, PreparedCall } from '../call/layer-call.js';
import type { CallClock } from '../call/time-limit.js';

const MB = 1024 * 1024;
/** Of each kind. */
const ROOM_BYTES = 256 * MB;
/** A body that turns out to be larger needs another, larger permit. */
const SMALL_BYTES = 4 * MB;
/** A loop with smaller results needs no permit; beyond that it needs one of the next size, and then one for all it may have. */
const FREE_BYTES = 4 * MB;
const MIDDLE_BYTES = 16 * MB;
/** Beyond this the loop asks for the large one, before the middle one is used up: calls that are under way add to the results. */
const MIDDLE_UP_TO = 12 * MB;
/** How long a loop has the large permit at once while others wait for one. */
const LARGE_FOR_MS = 5 * 60_000;
/** How long a body may arrive for which others may be waiting. */
const ARRIVES_WITHIN_MS = 10 * 60_000;

/**
 * There is no deadlock: whoever waits for a permit holds smaller ones only, and a loop waits before its bodies do. Each size has
 * a room of its own.
 */
export class HeldMemory {
  readonly small: BytesSemaphore;
  readonly large: BytesSemaphore;
  readonly middleLoops: BytesSemaphore;
  readonly largeLoops: BytesSemaphore;
  /** Of single messages of databases, until they are whole. */
  readonly messages: BytesSemaphore;

  /** @param bytes of each kind */
  constructor(bytes = ROOM_BYTES) {
    this.small = new BytesSemaphore(bytes);
    this.large = new BytesSemaphore(bytes);
    this.middleLoops = new BytesSemaphore(bytes);
    this.largeLoops = new BytesSemaphore(bytes);
    this.messages = new BytesSemaphore(bytes);
  }
}

/** The results of one loop. */
export class LoopMemory {
  private middle: Promise<BytesPermit> | undefined;
  private large: Promise<BytesPermit> | undefined;
  private results: { readonly bytes: number } = { bytes: 0 };
  private readonly mustLeave = new AbortController();
  private looks: NodeJS.Timeout | undefined;

  constructor(
    private readonly memory: HeldMemory,
    private readonly work: PreparedCall,
  ) {}

  /** The call of the loop, which also goes on later when its turn with the large permit is over. */
  get call(): LayerCall {
    const { call } = this.work;
    return { ...call, leave: AbortSignal.any([...(call.leave ? [call.leave] : []), this.mustLeave.signal]) };
  }

  /** Whose size counts from now on. */
  watch(results: { readonly bytes: number }): void {
    this.results = results;
  }

  /**
   * Called before the loop holds more.
   *
   * @param bytes of its results; default: what it has so far
   * @returns a promise only where the loop has to ask for room
   */
  reserve(bytes = this.results.bytes): Promise<unknown> | undefined {
    if (bytes <= FREE_BYTES) return undefined;
    const { maxOutputBytes } = this.work;
    const isMiddle = maxOutputBytes <= MIDDLE_BYTES || bytes <= MIDDLE_UP_TO;
    if (isMiddle) return (this.middle ??= this.enter(this.memory.middleLoops, Math.min(MIDDLE_BYTES, maxOutputBytes)));
    return (this.large ??= this.enterLarge());
  }

  /** The results are stored, or not needed any more. */
  release(): void {
    const letGo = (held: BytesPermit): void => {
      clearInterval(this.looks);
      held.release();
    };
    for (const permit of [this.middle, this.large]) permit?.then(letGo, () => undefined);
  }

  private async enterLarge(): Promise<BytesPermit> {
    const { largeLoops } = this.memory;
    const permit = await this.enter(largeLoops, this.work.maxOutputBytes);
    this.looks = setInterval(() => void (largeLoops.isAwaited && this.mustLeave.abort()), LARGE_FOR_MS).unref();
    return permit;
  }

  private async enter(room: BytesSemaphore, bytes: number): Promise<BytesPermit> {
    const { play, signal } = this.work.call;
    return room.acquire(play.company_id, bytes, signal).catch(() => throwPlayLost());
  }
}

export interface BodyCall {
  readonly memory: HeldMemory;
  /** The loop that the call belongs to. */
  readonly loop: LoopMemory | null;
  readonly companyId: string;
  readonly signal: AbortSignal;
  readonly clock: CallClock;
}

/** Who sends what a call holds. */
interface Sender {
  readonly name: string;
  /** Its own time limit stands still. @returns what lets the time pass again */
  readonly pause?: EgressResponse['pause'];
}

/**
 * What a call holds of an answer that arrives. A large one waits until this process has room for it; the time limits of the layer and
 * of the request stand still meanwhile. Once there is room it has to arrive soon: otherwise peers that send nothing would keep the
 * room of others. The room is free again when the call has ended.
 */
export class HeldAnswer {
  private size: 'small' | 'large' | null = null;
  private permit: BytesPermit | undefined;
  private arrival: (() => void) | undefined;

  /** @param most bytes that the answer may have */
  constructor(
    private readonly call: BodyCall,
    private readonly sender: Sender,
    private readonly most: number,
  ) {}

  /**
   * Called before more is received.
   *
   * @param bytes that the call has
   * @returns a promise only where it has to ask for room; it rejects with a LayerFailure `timeout`, `cancelled`
   */
  reserve(bytes: number): Promise<void> | undefined {
    const size = bytes > SMALL_BYTES ? 'large' : 'small';
    if (this.size === size || this.size === 'large') return undefined;
    this.size = size;
    return this.enter(this.call.memory[size], size === 'small' ? Math.min(SMALL_BYTES, this.most) : this.most);
  }

  /** All of it is here. */
  arrived(bytes: number): void {
    this.arrival?.();
    this.permit?.resize(bytes);
  }

  private async enter(room: BytesSemaphore, bytes: number): Promise<void> {
    const { companyId, signal, loop, clock } = this.call;
    const before = this.permit;
    this.arrival?.();
    this.permit = await whileTimeStands(this.sender, this.call, async () => {
      if (!before) await loop?.reserve();
      return room.acquire(companyId, bytes, signal);
    });
    if (before) before.release();
    else clock.atEnd(() => this.permit?.release());
    this.arrival = clock.limit(ARRIVES_WITHIN_MS, () => {
      const message = `${this.sender.name} did not send its answer within ${ARRIVES_WITHIN_MS} ms of having room for it`;
      return new LayerFailure('timeout', message);
    });
  }
}

/**
 * The whole body of an answer, as `HeldAnswer` holds it.
 *
 * @param most bytes that the body may have
 * @throws LayerFailure `timeout`, `cancelled` while it waits; EgressError while the body arrives
 */
export async function wholeBody(response: EgressResponse, most: number, call: BodyCall): Promise<Buffer> {
  const { body, stream, url, pause } = response;
  if (!stream) return body;
  const held = new HeldAnswer(call, { name: URL.parse(url)?.host ?? 'the peer', ...(pause && { pause }) }, most);
  await held.reserve(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    const room = held.reserve(bytes);
    if (room) await room;
  }
  held.arrived(bytes);
  return Buffer.concat(chunks, bytes);
}

/** Room for one message of a database, until it is whole. @throws LayerFailure `timeout`, `cancelled` */
export function roomForMessage(bytes: number, call: BodyCall, name: string): Promise<BytesPermit> {
  const { memory, companyId, signal } = call;
  return whileTimeStands({ name }, call, () => memory.messages.acquire(companyId, bytes, signal));
}

async function whileTimeStands(
  { pause }: Sender,
  { clock, signal }: BodyCall,
  ask: () => Promise<BytesPermit>,
): Promise<BytesPermit> {
  const goOn = [clock.stop(), pause?.()];
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted && !(error instanceof LayerFailure)) throwPlayLost();
    throw error;
  } finally {
    for (const resume of goOn) resume?.();
  }
}

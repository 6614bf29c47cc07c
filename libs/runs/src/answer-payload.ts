import { fileIdsIn } from '@weft/contracts';
import { INLINE_OUTPUT_BYTES, type PayloadRef, type Play } from '@weft/engine';
import { bsonBytes, WeftError, writeJson } from '@weft/kernel';
import { TenantScope, type PayloadStore } from '@weft/store';

/** The fields of a play that an answer needs; `inbox` may contain the sizes of answers instead of the answers. */
export type AnsweredPlay = Pick<Play, '_id' | 'flowId' | 'inbox'>;

interface Answer {
  readonly kind: string;
  readonly payload: unknown;
  readonly id?: string;
  readonly receivedAt?: string;
}

/** A payload names its plays, in a document of limited size: for more of them it is stored again. */
const MOST_REFERRING = 10_000;
/** Of more files in one answer, nobody notes that the play refers to them: they are kept only as long as others need them. */
const MOST_FILES = 100;

type AnswerPayloads = Pick<PayloadStore, 'putAnswer' | 'addReferences' | 'removeReferences'> & {
  readonly userFiles: Pick<PayloadStore['userFiles'], 'useThoseThere'>;
};

/** When its inbox would hold more than this, even small payloads are moved to the payload store. */
const MOST_INLINE_BYTES = 1024 * 1024;

/**
 * An external answer for one play or for many. A small one is stored in each play; a large one once in the payload store, for
 * all of them. Plays are recorded with the payload, and with the files that it refers to, before they refer to it.
 */
export class AnswerPayload {
  private readonly bytes: number;
  /** Or has integers that MongoDB would change. */
  private readonly isLarge: boolean;
  private readonly scope: TenantScope;
  private ref: PayloadRef | null = null;
  /** Plays that were recorded with `ref`, which says where they find the answer. */
  private referringToRef = 0;
  private readonly noted = new Map<string, PayloadRef>();
  private readonly referring = new Set<string>();
  /** Files that the answer refers to. */
  private readonly files: readonly string[];

  constructor(
    private readonly payloads: AnswerPayloads,
    companyId: string,
    private readonly answer: Answer,
  ) {
    this.scope = new TenantScope(companyId);
    this.files = [...fileIdsIn(answer.payload)].slice(0, MOST_FILES);
    this.bytes = bsonBytes(answer);
    const { json = 'null', hasBigIntegers } = writeJson(answer.payload ?? null);
    this.isLarge = hasBigIntegers || Buffer.byteLength(json) > INLINE_OUTPUT_BYTES;
  }

  /** To be called before `formFor`, with these plays as they were read. */
  async prepare(plays: readonly AnsweredPlay[]): Promise<void> {
    await this.payloads.userFiles.useThoseThere(
      this.scope,
      this.files,
      plays.map(({ _id }) => _id),
    );
    const referring = plays.filter((play) => this.mustBeStored(play) && !this.noted.has(play._id));
    const [first] = referring;
    if (!first) return;
    if (!this.ref || this.referringToRef >= MOST_REFERRING) {
      this.ref = await this.payloads.putAnswer(
        this.scope,
        { playId: first._id, flowId: first.flowId },
        Buffer.from(JSON.stringify(this.answer.payload)),
      );
      this.referringToRef = 0;
    }
    const { ref } = this;
    const ids = referring.map(({ _id }) => _id);
    if (!(await this.payloads.addReferences(this.scope, ref, ids))) throw new Error('a new payload is gone');
    for (const id of ids) this.noted.set(id, ref);
    this.referringToRef += ids.length;
  }

  /** What the play is to be given. */
  formFor(play: AnsweredPlay): object {
    const payloadRef = this.noted.get(play._id);
    if (!payloadRef || !this.mustBeStored(play)) return this.answer;
    const { payload: _payload, ...rest } = this.answer;
    return { ...rest, payloadRef };
  }

  /** The play has taken this form. */
  taken(playId: string, form: object): void {
    if (form !== this.answer) this.referring.add(playId);
  }

  /**
   * Takes the result of delivering the answer: plays that did not take it release the payload. When the result is unknown
   * they keep it until a sweep sees that they do not refer to it.
   */
  async settledAfter<T>(given: Promise<T>, onDone?: () => void): Promise<T> {
    try {
      const done = await given;
      onDone?.();
      await this.settle();
      return done;
    } catch (error) {
      if (error instanceof WeftError) await this.settle();
      throw error;
    }
  }

  private async settle(): Promise<void> {
    for (const ref of new Set(this.noted.values())) {
      const others = [...this.noted].flatMap(([id, to]) => (to === ref && !this.referring.has(id) ? id : []));
      if (others.length > 0) await this.payloads.removeReferences(this.scope, ref, others).catch(() => undefined);
    }
  }

  private mustBeStored(play: AnsweredPlay): boolean {
    return this.isLarge || bytesIn(play.inbox) + this.bytes > MOST_INLINE_BYTES;
  }
}

function bytesIn(inbox: AnsweredPlay['inbox'] = {}): number {
  let bytes = 0;
  for (const answer of Object.values(inbox)) bytes += typeof answer === 'number' ? answer : bsonBytes(answer);
  return bytes;
}

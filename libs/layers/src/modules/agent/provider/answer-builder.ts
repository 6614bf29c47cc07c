/** Puts an answer together that arrives in pieces, within bounds. */
import { withoutSecret } from '../../../call/without-secret.js';
import { LayerFailure } from '../../../layer-module.js';
import type { ChatStop, ModelCall } from './port.js';

const MAX_TEXT_CHARS = 1_000_000;
/** Of the arguments of all calls together. */
const MAX_ARGUMENTS_CHARS = 1_000_000;
const MAX_CALLS = 64;
const MAX_NAME_CHARS = 256;

interface PieceOfCall {
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: string | null | undefined;
}

export class AnswerBuilder {
  stop: ChatStop | null = null;
  tokensIn: number | null = null;
  tokensOut: number | null = null;
  cost: number | null = null;
  private readonly texts: string[] = [];
  private textChars = 0;
  private argumentChars = 0;
  /** By the index that the provider gives. */
  private readonly byIndex = new Map<number, { id: string; name: string; readonly pieces: string[] }>();

  constructor(
    readonly host: string,
    /** The secrets that the provider was shown, and may repeat. */
    private readonly shown: readonly string[],
    private readonly onText: (text: string) => void,
  ) {}

  addText(text: string): void {
    if (text === '') return;
    this.textChars += text.length;
    if (this.textChars > MAX_TEXT_CHARS) throw this.tooLarge(`more than ${MAX_TEXT_CHARS} characters`);
    this.texts.push(text);
    this.onText(text);
  }

  addToCall(index: number, { id, name, arguments: more }: PieceOfCall): void {
    let call = this.byIndex.get(index);
    if (!call) {
      if (this.byIndex.size === MAX_CALLS) throw this.tooLarge(`more than ${MAX_CALLS} calls of tools`);
      this.byIndex.set(index, (call = { id: '', name: '', pieces: [] }));
    }
    call.id ||= id ?? '';
    call.name ||= name ?? '';
    if (more === undefined || more === null || more === '') return;
    this.argumentChars += more.length;
    if (this.argumentChars > MAX_ARGUMENTS_CHARS)
      throw this.tooLarge(`arguments of more than ${MAX_ARGUMENTS_CHARS} characters`);
    call.pieces.push(more);
  }

  get text(): string {
    return this.texts.join('');
  }

  /** In the order of their indexes. @throws LayerFailure `invalid_output` */
  get calls(): readonly ModelCall[] {
    const ordered = [...this.byIndex].sort(([one], [other]) => one - other);
    return ordered.map(([index, { id, name, pieces }]) => {
      if (name === '' || name.length > MAX_NAME_CHARS || id.length > MAX_NAME_CHARS)
        throw this.invalid('asks for a call without the name of a tool, or with one of more than 256 characters');
      // some servers give no ids
      return { id: id === '' ? `call_${index}` : id, name, arguments: pieces.join('') };
    });
  }

  /** What the provider says, as the message of a failure may have it. A cut text must not end within a secret. */
  quoted(said: string, mostChars: number): string {
    return withoutSecret(said, this.shown).slice(0, mostChars).toWellFormed();
  }

  invalid(what: string): LayerFailure {
    return new LayerFailure('invalid_output', `The answer of ${this.host} ${what}.`);
  }

  private tooLarge(what: string): LayerFailure {
    return new LayerFailure('output_too_large', `The answer of ${this.host} has ${what}.`);
  }
}

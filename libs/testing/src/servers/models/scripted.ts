/** What a test says that a model answers. */
export interface ScriptedAnswer {
  /** In pieces, as they are sent. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** Default: 10 and 5; null: the answer does not say it. */
  readonly usage?: { readonly tokensIn: number; readonly tokensOut: number } | null;
  /** As the provider writes it; default: what fits the answer. */
  readonly stop?: string;
  /** A refusal, with the body of the provider. */
  readonly refusal?: {
    readonly status: number;
    readonly message: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Between two events. */
  readonly everyMs?: number;
  /** The connection is cut after this many events. */
  readonly cutAfter?: number;
  /** Nothing more is sent after this many events, and the connection stays open. */
  readonly hangAfter?: number;
  /** The provider says after this many events that it cannot go on. */
  readonly breakAfter?: number;
  /** Sent in the place of the events, as they are. */
  readonly raw?: string;
}

export interface ScriptedCall {
  readonly name: string;
  /** A text is sent as it is, also when it is not JSON. */
  readonly arguments: object | string;
  readonly id?: string;
}

/** What a model was asked, in one form for both providers. */
export interface AskedModel {
  readonly dialect: 'openai' | 'anthropic';
  readonly model: string;
  readonly instructions: string;
  /** The first text of the user. */
  readonly input: string;
  /** Answers of the model in the conversation: 0 for the first request. */
  readonly turn: number;
  /** Results after the last answer, in their order. */
  readonly results: readonly { readonly callId: string; readonly text: string }[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly schema: object }[];
  readonly mayCall: boolean;
}

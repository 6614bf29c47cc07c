/**
 * What each Lua script takes and returns. Its file in `lua/` names its KEYS and ARGV and says what it does.
 *
 * The scripts of a company's window are the atomic steps of docs/protocol.md §12. Redis holds a cache of three facts: which
 * plays were rung for and have not ended, which was the last one in accept order, and whether others wait. MongoDB holds
 * the truth, and the reconciler rebuilds the cache when it is lost. `from` says since when the cache has known: of plays
 * with a smaller id that are not members it knows nothing, not even that they wait. `due` says about how many plays wait
 * for room that are not new: delayed ones, and those that continue after a pause. Which ones these are is found in MongoDB,
 * even if `due` is lost. `refused` only ever grows: a refill that sees another value at its end than at its start knows
 * that plays were refused meanwhile, and leaves `waiting` above 0.
 */
type Ids = readonly string[];

export type WindowKeys = readonly [rung: string, state: string, refill: string, outOfOrder: string];

/** Failures and pending attempts of the pair of account and address, of the account, and of the address. */
export type LoginKeys = readonly [
  ...[pairFailures: string, pairPending: string],
  ...[accountFailures: string, accountPending: string],
  ...[addressFailures: string, addressPending: string],
];

/** What a refill begins with. */
export type RefillStart = readonly [
  ...[rung: number, waiting: number, refused: number],
  ...[cursor: string, raiseUpTo: string, lanes: number, due: number],
  ...outOfOrder: Ids,
];

export interface ScriptTypes {
  readonly admitPlays: {
    readonly keys: WindowKeys;
    readonly args: readonly [window: number, above: number, plain: number, newestId: string, ...ids: Ids];
    readonly reply: readonly [admitted: number, waiting: number, ...known: Ids];
  };
  readonly finishPlays: {
    readonly keys: WindowKeys;
    readonly args: Ids;
    readonly reply: readonly [rung: number, waiting: number];
  };
  readonly takeRoom: {
    readonly keys: WindowKeys;
    readonly args: readonly [window: number, token: string, more: number, ...ids: Ids];
    readonly reply: readonly [left: number, taken: number, ...ids: Ids];
  };
  readonly beginRefill: {
    readonly keys: WindowKeys;
    readonly args: readonly [token: string, lockMs: number, most: number];
    readonly reply: readonly [] | readonly [nobodyWaits: -1] | RefillStart;
  };
  readonly keepRefill: {
    readonly keys: WindowKeys;
    readonly args: readonly [token: string, lockMs: number];
    readonly reply: 0 | 1;
  };
  readonly endRefill: {
    readonly keys: WindowKeys;
    readonly args: readonly [token: string, refused: number, isExhausted: 0 | 1, lookedUpTo: string, ...ids: Ids];
    readonly reply: readonly [waiting: number, wasLocked: 0 | 1, ...known: Ids];
  };
  readonly rewindWindow: {
    readonly keys: WindowKeys;
    readonly args: readonly [cursor: string, raiseUpTo: string, newestId: string];
    readonly reply: readonly [1, waiting: number];
  };
  readonly beginLogin: {
    readonly keys: LoginKeys;
    readonly args: readonly [pair: number, account: number, address: number, pendingMs: number];
    /** -1: go on; -2: wait; else milliseconds for which a limit is exceeded. */
    readonly reply: number;
  };
  readonly endLogin: {
    readonly keys: LoginKeys;
    readonly args: readonly [hasFailed: 0 | 1, windowMs: number];
    readonly reply: 0;
  };
  readonly takeDelivery: {
    readonly keys: readonly [trigger: string, company: string];
    readonly args: readonly [ofTrigger: number, ofCompany: number, burstSeconds: number];
    /** 0: counted; else milliseconds until there is room. */
    readonly reply: number;
  };
  readonly takeCall: {
    /** For each limit: its newest calls, the end of its queue. */
    readonly keys: readonly string[];
    /** `limits`: for each limit how many calls, in how many µs. */
    readonly args: readonly [hasTurn: 0 | 1, isAgain: 0 | 1, momentUs: number, horizonUs: number, ...limits: number[]];
    /** Milliseconds until the caller's turn, 0: taken. */
    readonly reply: number;
  };
  readonly claimConnections: {
    readonly keys: readonly [user: string];
    readonly args: readonly [gateway: string, own: number, lifetimeMs: number, limit: number];
    /** Sockets at other gateways. */
    readonly reply: number;
  };
  readonly publishConnections: {
    readonly keys: readonly string[];
    readonly args: readonly [gateway: string, lifetimeMs: number, ...sockets: readonly number[]];
    readonly reply: 0;
  };
}

export type ScriptName = keyof ScriptTypes;
export type ScriptReply<N extends ScriptName> = ScriptTypes[N]['reply'];

export type ScriptArgs<N extends ScriptName> = ScriptTypes[N]['args'];
/** Those of a company's window. */
export type WindowScript = { [N in ScriptName]: ScriptTypes[N]['keys'] extends WindowKeys ? N : never }[ScriptName];

export interface ScriptCall<N extends ScriptName> {
  readonly keys: ScriptTypes[N]['keys'];
  readonly args: ScriptTypes[N]['args'];
}

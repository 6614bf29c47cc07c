/** What each Lua script takes and returns. Its file in `lua/` names its KEYS and ARGV and says what it does. */
type Ids = readonly string[];

export type WindowKeys = readonly [rung: string, waits: string];

/** Failures and pending attempts of the pair of account and address, of the account, and of the address. */
export type LoginKeys = readonly [
  ...[pairFailures: string, pairPending: string],
  ...[accountFailures: string, accountPending: string],
  ...[addressFailures: string, addressPending: string],
];

export interface ScriptTypes {
  readonly takeRoom: {
    readonly keys: WindowKeys;
    readonly args: readonly [window: number, isRefill: 0 | 1, asksAgain: 0 | 1, more: number, ...ids: Ids];
    readonly reply: readonly [room: number, waits: 0 | 1, taken: number, ...ids: Ids];
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
export interface ScriptCall<N extends ScriptName> {
  readonly keys: ScriptTypes[N]['keys'];
  readonly args: ScriptTypes[N]['args'];
}

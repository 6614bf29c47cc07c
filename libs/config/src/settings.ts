import type { Role } from '@weft/access';
import type { RetentionDefaults } from '@weft/retention';

/** The environment of a process, or an object like it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a process, read once at startup and frozen. Each is declared in `catalog.ts`. */
export interface Settings {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Public base address of links and callbacks, without trailing slash. */
    readonly apiUrl: string;
    /** CIDRs of proxies whose X-Forwarded-For is trusted. */
    readonly trustProxy: readonly string[];
    /** Origins of pages that may call the API with API keys; `*`: any. */
    readonly corsOrigins: readonly string[];
    readonly shutdownGraceSeconds: number;
    readonly shutdownNoticeSeconds: number;
    readonly metricsToken: string | null;
  };
  readonly mongodb: { readonly uri: string; readonly db: string };
  readonly redis: { readonly url: string };
  readonly dataDir: string;
  readonly admin: { readonly email: string | null; readonly password: string | null };
  readonly secrets: {
    readonly encKeySecret: string;
    /** Earlier values, newest first: used to read, never to write. */
    readonly encKeySecretPrevious: readonly string[];
    readonly envKeySalt: string;
  };
  /** Signing in at Microsoft, as the environment names it (docs/http-api.md §2). */
  readonly oauth2: {
    /** Null: sign-in with Microsoft is not offered. */
    readonly clientId: string | null;
    readonly clientSecret: string | null;
    readonly redirectUri: string | null;
    readonly tenant: string;
    readonly scopes: readonly string[];
    readonly autoCreateUsers: boolean;
    readonly autoAssignCompany: string | null;
    readonly autoAssignRole: Role;
  };
  readonly egress: {
    readonly allow: readonly EgressRule[];
    readonly deny: readonly EgressRule[];
    readonly refuseOwnNetworks: boolean;
    /** Null: modules call every address directly. */
    readonly proxy: { readonly url: string; readonly target: 'address' | 'name' } | null;
    /** PEM; null: none besides those that Node trusts. */
    readonly ca: string | null;
  };
  readonly backup: { readonly passphrase: string | null };
  readonly ai: { readonly prices: readonly AiPrice[] };
  readonly logging: {
    readonly level: 'debug' | 'info' | 'warn' | 'error';
    readonly maxSizeMb: number;
    readonly maxBackups: number;
    readonly maxAgeDays: number;
    readonly compress: boolean;
  };
  readonly tracing: {
    /** Null: no tracing. */
    readonly endpoint: string | null;
    readonly headers: readonly HeaderSetting[];
    readonly sampleRatio: number;
  };
  readonly session: {
    readonly ttlHours: number;
    readonly maxHours: number;
    readonly cookieSecure: boolean;
    readonly cookieHttpOnly: boolean;
    readonly cookieSameSite: 'strict' | 'lax' | 'none';
    readonly cookieDomain: string;
    readonly cookiePath: string;
  };
  readonly websocket: {
    readonly pingPeriodSeconds: number;
    readonly readDeadlineSeconds: number;
    readonly writeDeadlineSeconds: number;
  };
  readonly retention: {
    /** A number and m, d or y. */
    readonly cleanupInterval: string;
    /** Applies to companies without a policy of the scope. */
    readonly defaults: RetentionDefaults;
  };
  readonly queue: { readonly prefix: string; readonly shards: number };
  readonly cache: { readonly maxSizeMb: number };
  readonly worker: {
    readonly slots: number;
    /** Null: it has none. */ readonly label: string | null;
  };
  readonly sandbox: { readonly processes: number };
  readonly run: {
    /** 0 = twice the live workers' slots, at least 64. */ readonly window: number;
    readonly backlogMax: number;
  };
  /** Deliveries a second. */
  readonly triggers: { readonly rate: number; readonly companyRate: number };
  readonly loadedAt: Date;
}

/** A header that is sent with each request. */
export interface HeaderSetting {
  readonly name: string;
  readonly value: string;
}

/** The price of a language model, in dollars per million tokens. */
export interface AiPrice {
  /** The type of the integration link. */
  readonly provider: string;
  /** `*`: every model of the provider without a price of its own. */
  readonly model: string;
  readonly dollarsIn: number;
  readonly dollarsOut: number;
}

/** An address range, and optionally the one port, that modules may call although the guard would refuse it. */
export interface EgressRule {
  readonly cidr: string;
  readonly port: number | null;
}

import { parseStoredJson } from '@weft/kernel';
import type { ApiFacts, ImportReport, OperationDifference } from '@weft/openapi';
import { MCP_ERAS, type McpEra } from '@weft/layers';
import { Schema } from 'mongoose';

export const APIS = 'apis';

/** `importing`: an import is asked for or under way; `ready`, `failed`: what became of the last one. */
export const API_STATES = ['importing', 'ready', 'failed'] as const;
export type ApiState = (typeof API_STATES)[number];

/** Services by their OpenAPI documents, and MCP servers. */
export const API_KINDS = ['openapi', 'mcp'] as const;
export type ApiKind = (typeof API_KINDS)[number];

/** Where a document comes from: its address, or the id of a file in the payload store. Of an MCP server: its address. */
export type ApiSource = { readonly url: string } | { readonly file: string };

/** An import that is asked for. */
export interface AskedImport {
  readonly source: ApiSource;
  /** Only compares: the operations stay as they are. */
  readonly dryRun: boolean;
}

/** How one stored operation differs from the document of the last refresh. */
export interface StoredDifference extends OperationDifference {
  /** Of the stored operation; null: it is new. */
  readonly digest: string | null;
}

/** What the last refresh found. */
export interface RefreshOutcome {
  readonly at: Date;
  readonly dryRun: boolean;
  /** Of the operations that were current before, how many have which result. */
  readonly counts: Readonly<Record<OperationDifference['result'], number>>;
  /** Also of operations that were not current any more, because layers may be pinned to them; the first 1,000, what breaks first. */
  readonly differences: readonly StoredDifference[];
}

/** A service whose OpenAPI document the company has given, or an MCP server. Its operations, or tools, are in `api_operations`. */
export interface ApiDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly kind: ApiKind;
  /** Of an MCP server: which revisions of the protocol are tried. */
  readonly era?: McpEra;
  readonly name: string;
  /** Layers may name it instead of the id; unique in the company. */
  readonly key: string | null;
  /** Of the last import that succeeded, or of the first one. */
  readonly source: ApiSource;
  /** The link of the API: forms of layers begin with it, and its document is fetched with it; layers use the link that they name. Of an MCP server: the link of all its calls. */
  readonly integrationId: string | null;
  /** Takes the place of the servers of the document; null: those hold. Without a slash at its end. */
  readonly baseUrl: string | null;
  /** JSON text of the overlay that every import applies to the document; absent or null: none. */
  readonly overlay?: string | null;
  readonly state: ApiState;
  /** Why the last import failed. */
  readonly fault: string | null;
  /** JSON text of `ApiFacts`, because names in it may be any: of the last import that succeeded; null: none has. */
  readonly facts: string | null;
  readonly report: ImportReport | null;
  /** SHA-256 of the document, in hex. */
  readonly documentDigest: string | null;
  readonly importedAt: Date | null;
  /** Null: it was never refreshed. */
  readonly refresh: RefreshOutcome | null;
  readonly asked: AskedImport | null;
  /** When a process may begin the import; while one works on it, when another one may take over. Absent: nothing is asked for. */
  readonly turnAt?: Date;
  /** Grows with each turn: a process that comes back late cannot write any more. */
  readonly term: number;
  /** Turns of the import that is asked for. */
  readonly attempts: number;
  /** Bytes of all states of its operations, after its last import. Absent: none has ended since this is counted. */
  readonly storedBytes?: number;
  /** It was deleted: nobody sees it any more, and a scheduler removes its operations, and then this. */
  readonly removed?: true;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const mixed = { type: Schema.Types.Mixed, default: null };

export const apiSchema = new Schema<ApiDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    kind: { type: String, required: true, enum: API_KINDS },
    era: { type: String, enum: MCP_ERAS },
    name: { type: String, required: true },
    key: { type: String, default: null },
    source: { type: Schema.Types.Mixed, required: true },
    integrationId: { type: String, default: null },
    baseUrl: { type: String, default: null },
    overlay: { type: String },
    state: { type: String, required: true, enum: API_STATES },
    fault: { type: String, default: null },
    facts: { type: String, default: null },
    report: mixed,
    documentDigest: { type: String, default: null },
    importedAt: { type: Date, default: null },
    refresh: mixed,
    asked: mixed,
    turnAt: { type: Date },
    term: { type: Number, required: true },
    attempts: { type: Number, required: true },
    storedBytes: { type: Number },
    removed: { type: Boolean },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: APIS, minimize: false, versionKey: false },
);

// the lists of a company, newest first; how many it has of each kind
apiSchema.index({ company_id: 1, _id: -1 });
// one by the key that layers name
apiSchema.index({ company_id: 1, key: 1 }, { unique: true, partialFilterExpression: { key: { $type: 'string' } } });
// imports that are asked for, the one that has waited longest first
apiSchema.index({ turnAt: 1 }, { partialFilterExpression: { turnAt: { $exists: true } } });

/** What the document says of itself, its servers and its credentials; null: no import has succeeded. */
export function factsOf({ facts }: Pick<ApiDocument, 'facts'>): ApiFacts | null {
  return facts === null ? null : (parseStoredJson(facts) as ApiFacts);
}

/** The OpenAPI document as specs look into it. */
export type DescribedSchema = Readonly<Record<string, unknown>> & { readonly $ref?: string };

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: DescribedSchema;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: DescribedSchema }>>;
  readonly 'x-problem-codes'?: readonly string[];
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: DescribedSchema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

type PathItem = Readonly<Record<string, DescribedOperation>> & { readonly 'x-alias'?: string };

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly description: string; readonly license?: object };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly 'x-sockets': readonly { readonly path: string }[];
  readonly components: Readonly<Record<string, Readonly<Record<string, DescribedSchema>>>>;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

export interface Place {
  readonly path: string;
  readonly method: string;
  readonly item: PathItem;
  readonly operation: DescribedOperation;
}

export function operationsOf(document: OpenApiDocument): Place[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      path,
      method,
      item,
      operation: item[method] as DescribedOperation,
    })),
  );
}

/** Of those that a rule does not hold for: `post /api/v1/flows`. */
export function namesOf(places: readonly Place[]): string[] {
  return places.map(({ method, path }) => `${method} ${path}`);
}

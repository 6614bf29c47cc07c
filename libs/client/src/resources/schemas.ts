import type { components, operations, paths } from '../api-types.js';

export type Schemas = components['schemas'];
export type Flow = Schemas['Flow'];
export type Layer = Schemas['Layer'];
export type Play = Schemas['Play'];
export type PlayLayer = Schemas['PlayLayer'];
export type Me = Schemas['Me'];
export type PlayState = Play['state'];
export type FlowDocument = Schemas['FlowDocument'];
export type FlowDocumentFile = Schemas['ImportFlowBody']['document'];

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

/** The filters of a list: its query without what pages are asked for with. `size` is how many items a page has. */
export type FiltersOf<Path extends keyof paths> = Omit<QueryOf<Path>, 'page' | 'cursor'>;

/** What an operation takes as its body. */
export type BodyOf<Name extends keyof operations> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;
